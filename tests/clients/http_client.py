"""The client of the PyPI package a2a-sdk over HTTP, against our task service.

    python http_client.py http://localhost:8080 JSONRPC

The second argument names the binding; the client finds its address in the agent card.
Behind the service works agent_worker.py. A third argument, the public key in PEM, has
the card's signature verified.
"""

import asyncio
import sys
from pathlib import Path

import httpx
from a2a.client import A2ACardResolver, Client, ClientConfig, ClientFactory
from a2a.types import (
    AgentCard,
    CancelTaskRequest,
    DeleteTaskPushNotificationConfigRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    Message,
    Part,
    Role,
    SendMessageRequest,
    SubscribeToTaskRequest,
    Task,
    TaskNotCancelableError,
    TaskNotFoundError,
    TaskPushNotificationConfig,
    UnsupportedOperationError,
)
from a2a.utils.signing import create_signature_verifier

from sdk import all_of, gist, refused, state, texts

NOWHERE = "00000000-0000-4000-8000-000000000000"


async def main(url: str, binding: str, key: str = "") -> None:
    async with httpx.AsyncClient(timeout=60) as http:
        card = await A2ACardResolver(http, url).get_agent_card()
        if key:
            check_signature(card, Path(key).read_text())
        for streaming in [False, True]:
            config = ClientConfig(
                streaming=streaming,
                httpx_client=http,
                supported_protocol_bindings=[binding],
            )
            client = ClientFactory(config).create(card)
            await (streams(client) if streaming else calls(client))


def check_signature(card: AgentCard, key: str) -> None:
    verify = create_signature_verifier(lambda kid, jku: key, ["ES256"])
    verify(card)
    card.name += "!"
    try:
        verify(card)
    except Exception:
        card.name = card.name[:-1]
        return
    raise AssertionError("a forged card passes")


async def calls(client: Client) -> None:
    done = await send(client, "hello")
    assert (state(done), texts(done)) == ("COMPLETED", ["You wrote: hello."]), done
    assert await get(client, done.id) == done
    asked = await send(client, "ask me")
    assert state(asked) == "INPUT_REQUIRED", asked
    answered = await send(client, "the blue one", asked)
    assert (answered.id, state(answered)) == (asked.id, "COMPLETED"), answered
    again = await send(client, "ask me")
    canceled = await client.cancel_task(CancelTaskRequest(id=again.id))
    assert state(canceled) == "CANCELED", canceled
    cancel = client.cancel_task(CancelTaskRequest(id=again.id))
    await refused(TaskNotCancelableError, cancel)
    await refused(TaskNotFoundError, get(client, NOWHERE))
    await refused(UnsupportedOperationError, send(client, "more", done))
    await push_configs(client, done)


async def push_configs(client: Client, task: Task) -> None:
    url = "http://127.0.0.1:9/hook"
    config = TaskPushNotificationConfig(task_id=task.id, id="a", url=url, token="t")
    assert await client.create_task_push_notification_config(config) == config
    names = {"task_id": task.id, "id": "a"}
    get_it = GetTaskPushNotificationConfigRequest(**names)
    assert await client.get_task_push_notification_config(get_it) == config
    remove = DeleteTaskPushNotificationConfigRequest(**names)
    await client.delete_task_push_notification_config(remove)
    gone = client.get_task_push_notification_config(get_it)
    await refused(TaskNotFoundError, gone)


async def streams(client: Client) -> None:
    items = await all_of(client.send_message(message("hello")))
    chunks = ["artifact You wrote: ", "artifact hello", "artifact ."]
    seen = [gist(item) for item in items]
    assert seen == ["task SUBMITTED", "WORKING", *chunks, "COMPLETED"], seen
    asked = (await all_of(client.send_message(message("ask me"))))[0].task
    subscription = client.subscribe(SubscribeToTaskRequest(id=asked.id))
    first = await anext(subscription)
    assert gist(first) == "task INPUT_REQUIRED", first
    await all_of(client.send_message(message("the blue one", asked)))
    rest = [gist(item) for item in await all_of(subscription)]
    assert rest[-1] == "COMPLETED", rest
    ended = client.subscribe(SubscribeToTaskRequest(id=asked.id))
    await refused(UnsupportedOperationError, all_of(ended))


def message(text: str, task: Task | None = None) -> SendMessageRequest:
    of_task = {"task_id": task.id, "context_id": task.context_id} if task else {}
    parts = [Part(text=text)]
    said = Message(message_id=text, role=Role.ROLE_USER, parts=parts, **of_task)
    return SendMessageRequest(message=said)


async def send(client: Client, text: str, task: Task | None = None) -> Task:
    return (await all_of(client.send_message(message(text, task))))[0].task


async def get(client: Client, id: str) -> Task:
    return await client.get_task(GetTaskRequest(id=id))


if __name__ == "__main__":
    asyncio.run(asyncio.wait_for(main(*sys.argv[1:]), timeout=60))
