"""A2A-Version on every RPC, with the gRPC transport and types of the PyPI a2a-sdk.

    python sdk_versions.py localhost:50051 1.0.9 accepted

A version is accepted, and then answered, or refused by each RPC alike. The version
"missing" sends none.
"""

import asyncio
import sys
from contextlib import aclosing

import grpc
from a2a.client import ClientCallContext, minimal_agent_card
from a2a.client.transports.grpc import GrpcTransport
from a2a.helpers import new_text_message
from a2a.types import (
    CancelTaskRequest,
    DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskPushNotificationConfig,
    VersionNotSupportedError,
)
from a2a.types.a2a_pb2 import DESCRIPTOR, ListTasksRequest
from google.protobuf.message import Message

STREAMS = ["send_message_streaming", "subscribe"]


class Versioned(GrpcTransport):
    """The SDK's transport with another version than the SDK's own, or with none."""

    def __init__(self, address: str, version: str | None) -> None:
        card = minimal_agent_card(address, ["GRPC"])
        super().__init__(grpc.aio.insecure_channel(address), card)
        self.version = version

    def _get_grpc_metadata(self, _: ClientCallContext | None) -> list[tuple[str, str]]:
        return [] if self.version is None else [("a2a-version", self.version)]


async def main(address: str, version: str, expected: str) -> None:
    own = Versioned(address, "1.0")
    client = Versioned(address, None if version == "missing" else version)
    task = (await own.send_message(message())).task
    calls = every_call(task.id)
    check_complete(list(calls.values()))
    for name, request in calls.items():
        answer = await outcome(client, name, request)
        assert answer == expected, f"{name} with {version!r} is {answer}"
    print(f"{len(calls)} RPCs with version {version!r}: {expected}")
    await asyncio.gather(own.close(), client.close())


async def outcome(client: GrpcTransport, name: str, request: Message) -> str:
    try:
        call = getattr(client, name)(request)
        if name in STREAMS:
            async with aclosing(call) as stream:
                await anext(stream)
        else:
            await call
    except VersionNotSupportedError:
        return "refused"
    return "accepted"


def every_call(task_id: str) -> dict[str, Message]:
    """The methods of the transport in an order in which each can be answered."""
    config = {"task_id": task_id, "id": "a"}
    hook = TaskPushNotificationConfig(url="http://127.0.0.1:9/hook", **config)
    get_config = GetTaskPushNotificationConfigRequest(**config)
    list_configs = ListTaskPushNotificationConfigsRequest(task_id=task_id)
    delete_config = DeleteTaskPushNotificationConfigRequest(**config)
    return {
        "send_message": message(),
        "send_message_streaming": message(),
        "get_task": GetTaskRequest(id=task_id),
        "list_tasks": ListTasksRequest(),
        "subscribe": SubscribeToTaskRequest(id=task_id),
        "create_task_push_notification_config": hook,
        "get_task_push_notification_config": get_config,
        "list_task_push_notification_configs": list_configs,
        "delete_task_push_notification_config": delete_config,
        "get_extended_agent_card": GetExtendedAgentCardRequest(),
        "cancel_task": CancelTaskRequest(id=task_id),
    }


def check_complete(requests: list[Message]) -> None:
    methods = DESCRIPTOR.services_by_name["A2AService"].methods
    declared = sorted(method.input_type.full_name for method in methods)
    called = sorted(request.DESCRIPTOR.full_name for request in requests)
    assert called == declared, f"{called} instead of {declared}"


def message() -> SendMessageRequest:
    return SendMessageRequest(
        message=new_text_message("wait", role=Role.ROLE_USER),
        configuration=SendMessageConfiguration(return_immediately=True),
    )


if __name__ == "__main__":
    asyncio.run(asyncio.wait_for(main(*sys.argv[1:]), timeout=60))
