"""Checks the signatures of one webhook request with the PyPI packages standardwebhooks and PyJWT.

    python verify_signatures.py JWKS_URL ISSUER SECRET...

Prints its URL, takes one request, and ends with status 0 if every secret's signature and the JWT
hold, and none of them holds for an altered body.
"""

import hashlib
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

import jwt
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

PATIENCE_S = 60


class Receiver(HTTPServer):
    timeout = PATIENCE_S
    taken = False

    def handle_timeout(self) -> None:
        sys.exit(f"no request within {PATIENCE_S} s")


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        for secret in SECRETS:
            check_standard_webhook(secret, body, headers)
        audience = f"http://127.0.0.1:{self.server.server_port}"
        check_jwt(headers["a2a-webhook-jwt"], audience, body, headers)
        assert headers.get("authorization") == f"Bearer {headers['a2a-webhook-jwt']}", "no bearer"
        self.send_response(204)
        self.end_headers()
        self.close_connection = True
        self.server.taken = True

    def log_message(self, *_: object) -> None:
        pass


def check_standard_webhook(secret: str, body: bytes, headers: dict[str, str]) -> None:
    Webhook(secret).verify(body, headers)
    try:
        Webhook(secret).verify(body + b" ", headers)
    except WebhookVerificationError:
        return
    raise AssertionError("an altered body passes")


def check_jwt(token: str, audience: str, body: bytes, headers: dict[str, str]) -> None:
    key = jwt.PyJWKClient(JWKS_URL).get_signing_key_from_jwt(token)
    claims = jwt.decode(
        token,
        key,
        algorithms=["ES256"],
        audience=audience,
        issuer=ISSUER,
        options={"require": ["iss", "aud", "iat", "exp", "jti"]},
    )
    assert claims["exp"] - claims["iat"] == 300, claims
    assert claims["jti"] == headers["webhook-id"], claims
    assert claims["request_body_sha256"] == hashlib.sha256(body).hexdigest(), claims
    assert claims["taskId"].encode() in body, claims


JWKS_URL, ISSUER, *SECRETS = sys.argv[1:]
Handler.protocol_version = "HTTP/1.1"
receiver = Receiver(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{receiver.server_port}/hook")
receiver.handle_request()
sys.exit(None if receiver.taken else "the request is not as it should be")
