"""A strict webhook receiver, with the types of the PyPI package a2a-sdk.

    python webhook_receiver.py TOKEN CREDENTIALS

Prints its URL, then a line for each notification. Ends with status 0 once a task has
ended, or with 1 and the reason at the first request that is not as it should be. With
an empty TOKEN or CREDENTIALS, none may be shown.
"""

import json
import sys
from email.message import Message
from http.server import BaseHTTPRequestHandler, HTTPServer

from a2a.types import StreamResponse, TaskState
from google.protobuf.json_format import MessageToDict, ParseDict

ENDED = ("COMPLETED", "FAILED", "CANCELED", "REJECTED")
PATIENCE_S = 60


class Receiver(HTTPServer):
    """Takes one request at a time; a sender keeps the order of a task's events."""

    timeout = PATIENCE_S

    def __init__(self, token: str, credentials: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.secrets = {
            "Authorization": f"Bearer {credentials}" if credentials else None,
            "X-A2A-Notification-Token": token or None,
            "A2A-Notification-Token": token or None,
        }
        self.sequences: list[int] = []

    def handle_timeout(self) -> None:
        sys.exit(f"no request within {PATIENCE_S} s")


class Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        try:
            event = self.checked()
        except Exception as error:
            self.send_error(400)
            sys.exit(f"bad request: {error!r}\n{self.headers}")
        self.send_response(204)
        self.end_headers()
        print(gist(event), flush=True)
        if state(event) in ENDED:
            sys.exit()

    def checked(self) -> StreamResponse:
        check_headers(self.headers, self.server.secrets)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        event = parse(body)
        self.server.sequences.append(int(self.headers["A2A-Event-Sequence"]))
        check_order(self.server.sequences, event)
        return event

    def log_message(self, *_: object) -> None:
        """Nothing: stdout says it all."""


def check_headers(headers: Message, secrets: dict[str, str | None]) -> None:
    expected = {"Content-Type": "application/a2a+json", "Transfer-Encoding": None}
    for name, value in (expected | secrets).items():
        found = headers.get_all(name)
        assert found == (value and [value]), f"{name}: {found} instead of {value}"
    assert len(headers.get_all("Content-Length")) == 1
    assert headers["Webhook-Id"], "no webhook-id"


def parse(body: bytes) -> StreamResponse:
    """The event of a body, which must be the very JSON that protobuf writes for it."""
    document = json.loads(body.decode("utf-8"))
    assert len(document) == 1, f"{len(document)} members: {body!r}"
    event = ParseDict(document, StreamResponse())
    assert event.WhichOneof("payload"), body
    assert MessageToDict(event) == document, body
    compact = json.dumps(document, separators=(",", ":"), ensure_ascii=False)
    assert compact.encode() == body, f"not compact: {body!r}"
    return event


def check_order(sequences: list[int], event: StreamResponse) -> None:
    """The task comes first, and only once; what follows only ever goes on."""
    is_first = len(sequences) == 1
    assert event.HasField("task") == is_first, f"{event} as number {len(sequences)}"
    assert is_first or sequences[-2] < sequences[-1], sequences


def gist(event: StreamResponse) -> str:
    """An event in a word or two."""
    kind = event.WhichOneof("payload")
    if kind == "artifact_update":
        return f"{kind} {event.artifact_update.artifact.parts[0].text}"
    return f"{kind} {state(event)}"


def state(event: StreamResponse) -> str | None:
    if event.HasField("artifact_update"):
        return None
    status = getattr(event, event.WhichOneof("payload")).status
    return TaskState.Name(status.state).removeprefix("TASK_STATE_")


def main(token: str, credentials: str) -> None:
    with Receiver(token, credentials) as receiver:
        print(f"http://127.0.0.1:{receiver.server_port}/hook", flush=True)
        while True:
            receiver.handle_request()


if __name__ == "__main__":
    main(*sys.argv[1:])
