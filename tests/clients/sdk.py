"""What the scenarios of sdk_client.py do with the SDK's client again and again."""

from collections.abc import AsyncIterator, Awaitable
from contextlib import aclosing

import grpc
from a2a.client import (
    A2AClientError,
    Client,
    ClientConfig,
    ClientFactory,
    minimal_agent_card,
)
from a2a.helpers import get_artifact_text, new_text_message
from a2a.types import (
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    Message,
    Part,
    Role,
    SendMessageRequest,
    StreamResponse,
    SubscribeToTaskRequest,
    Task,
    TaskState,
)
from a2a.types.a2a_pb2 import ListTasksRequest
from a2a.utils.errors import A2AError


def connect(address: str, streaming: bool = True, polling: bool = False) -> Client:
    card = minimal_agent_card(address, ["GRPC"])
    card.capabilities.streaming = True
    config = ClientConfig(
        streaming=streaming,
        polling=polling,
        supported_protocol_bindings=["GRPC"],
        grpc_channel_factory=grpc.aio.insecure_channel,
    )
    return ClientFactory(config).create(card)


def poll(address: str) -> Client:
    """A client that does not wait for what becomes of its messages."""
    return connect(address, streaming=False, polling=True)


def message(text: str, task: Task | None = None) -> SendMessageRequest:
    """Starts a task, or continues one."""
    of_task = {"task_id": task.id, "context_id": task.context_id} if task else {}
    said = new_text_message(text, role=Role.ROLE_USER, **of_task)
    return SendMessageRequest(message=said)


def of(part: Part) -> SendMessageRequest:
    said = Message(message_id="m", role=Role.ROLE_USER, parts=[part])
    return SendMessageRequest(message=said)


async def send(client: Client, text: str, task: Task | None = None) -> Task:
    """Sends, and answers the task as the service last showed it."""
    items = await all_of(client.send_message(message(text, task)))
    first = items[0].task
    return first if len(items) == 1 else await get(client, first)


async def get(client: Client, task: Task) -> Task:
    return await client.get_task(GetTaskRequest(id=task.id))


async def listed(client: Client, **filters: object) -> list[str]:
    """The ids of all pages."""
    request = ListTasksRequest(**filters)
    ids: list[str] = []
    while True:
        page = await client.list_tasks(request)
        ids.extend(task.id for task in page.tasks)
        if not page.next_page_token:
            return ids
        request.page_token = page.next_page_token


async def listed_configs(client: Client, task: Task, page_size: int = 0) -> list[str]:
    request = ListTaskPushNotificationConfigsRequest(
        task_id=task.id, page_size=page_size
    )
    ids: list[str] = []
    while True:
        page = await client.list_task_push_notification_configs(request)
        ids.extend(config.id for config in page.configs)
        if not page.next_page_token:
            return ids
        request.page_token = page.next_page_token


async def until_state(client: Client, task: Task, wanted: str) -> None:
    """Waits until a subscriber sees the task in a state."""
    request = SubscribeToTaskRequest(id=task.id)
    async with aclosing(client.subscribe(request)) as stream:
        async for item in stream:
            if gist(item) in (wanted, f"task {wanted}"):
                return
    raise AssertionError(f"{task.id} ended before it was {wanted}")


async def all_of(stream: AsyncIterator[StreamResponse]) -> list[StreamResponse]:
    return [item async for item in stream]


async def refused(error: type[A2AError], call: Awaitable[object]) -> A2AError:
    """The error of a call that must fail with exactly this type."""
    try:
        answer = await call
    except A2AError as raised:
        assert type(raised) is error, f"{raised!r} instead of {error.__name__}"
        return raised
    raise AssertionError(f"{answer!r} instead of {error.__name__}")


async def invalid(call: Awaitable[object]) -> None:
    """The SDK has a type for a reason of its own here, and shows ours as text."""
    error = await refused(A2AClientError, call)
    assert "INVALID_ARGUMENT" in error.message, error


def state(task: Task) -> str:
    return TaskState.Name(task.status.state).removeprefix("TASK_STATE_")


def texts(task: Task) -> list[str]:
    return [get_artifact_text(artifact, delimiter="") for artifact in task.artifacts]


def gist(item: StreamResponse) -> str:
    """An item of a stream in a word or two."""
    match item.WhichOneof("payload"):
        case "task":
            return f"task {state(item.task)}"
        case "status_update":
            return state(item.status_update)
        case "artifact_update":
            return f"artifact {get_artifact_text(item.artifact_update.artifact)}"
        case other:
            return f"unexpected {other}"
