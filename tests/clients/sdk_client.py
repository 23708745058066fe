"""The client of the PyPI package a2a-sdk, against our task service.

    python sdk_client.py localhost:50051 blocking_send

The second argument names one of the functions below `main`. Behind the service works
agent_worker.py: the first word of a message says what it does.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing

import grpc
from a2a.client import (
    A2AClientError,
    Client,
    ClientCallContext,
    ClientConfig,
    ClientFactory,
    minimal_agent_card,
)
from a2a.client.service_parameters import ServiceParametersFactory, with_a2a_extensions
from a2a.helpers import get_artifact_text, get_message_text, new_text_message
from a2a.types import (
    CancelTaskRequest,
    ContentTypeNotSupportedError,
    DeleteTaskPushNotificationConfigRequest,
    ExtendedAgentCardNotConfiguredError,
    ExtensionSupportRequiredError,
    GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    Message,
    Part,
    PushNotificationNotSupportedError,
    Role,
    SendMessageRequest,
    StreamResponse,
    SubscribeToTaskRequest,
    Task,
    TaskNotCancelableError,
    TaskNotFoundError,
    TaskPushNotificationConfig,
    TaskState,
    UnsupportedOperationError,
)
from a2a.types.a2a_pb2 import AuthenticationInfo, ListTasksRequest
from a2a.utils.errors import A2AError

NOWHERE = "00000000-0000-4000-8000-000000000000"
HOOK = "http://127.0.0.1:9/hook"


async def main(address: str, scenario: Callable[[str], Awaitable[None]]) -> None:
    await asyncio.wait_for(scenario(address), timeout=60)


async def blocking_send(address: str) -> None:
    async with connect(address, streaming=False) as client:
        task = await send(client, "hello")
        assert state(task) == "COMPLETED", task
        assert get_message_text(task.status.message) == "Here you are", task
        assert texts(task) == ["You wrote: hello."], task
        said = [get_message_text(message) for message in task.history]
        assert said == ["hello", "Looking into it"], task
        assert all(message.context_id == task.context_id for message in task.history)


async def immediate_send(address: str) -> None:
    async with connect(address) as client, poll(address) as poller:
        task = await send(poller, "wait")
        assert state(task) == "SUBMITTED", task
        await until_state(client, task, "WORKING")
        assert state(await get(client, task)) == "WORKING"


async def streaming(address: str) -> None:
    async with connect(address) as client:
        items = await all_of(client.send_message(message("hello")))
        assert [gist(item) for item in items] == [
            "task SUBMITTED",
            "WORKING",
            "artifact You wrote: ",
            "artifact hello",
            "artifact .",
            "COMPLETED",
        ], items
        chunks = [item.artifact_update for item in items[2:5]]
        assert [chunk.append for chunk in chunks] == [False, True, True]
        assert [chunk.last_chunk for chunk in chunks] == [False, False, True]
        assert texts(await get(client, items[0].task)) == ["You wrote: hello."]


async def subscribe_from_a_second_connection(address: str) -> None:
    async with poll(address) as sender, connect(address) as other:
        task = await send(sender, "wait")
        await until_state(other, task, "WORKING")
        stream = other.subscribe(SubscribeToTaskRequest(id=task.id))
        assert gist(await anext(stream)) == "task WORKING"
        await send(sender, "go on", task)
        seen = [gist(item) for item in await all_of(stream)]
        assert seen[-2:] == ["artifact .", "COMPLETED"], seen
        ended = other.subscribe(SubscribeToTaskRequest(id=task.id))
        await refused(UnsupportedOperationError, all_of(ended))


async def follow_up_to_input_required(address: str) -> None:
    async with connect(address) as client, connect(address, streaming=False) as poller:
        items = await all_of(client.send_message(message("ask me")))
        assert [gist(item) for item in items] == ["task SUBMITTED", "INPUT_REQUIRED"]
        task = await get(client, items[0].task)
        assert get_message_text(task.status.message) == "Which one?", task
        answered = await send(poller, "the blue one", task)
        assert (answered.id, state(answered)) == (task.id, "COMPLETED"), answered
        assert texts(answered) == ["You wrote: the blue one."], answered
        said = [get_message_text(message) for message in answered.history]
        assert said == ["ask me", "Which one?", "the blue one", "Looking into it"], said


async def cancel(address: str) -> None:
    async with connect(address) as client, poll(address) as poller:
        task = await send(poller, "wait")
        await until_state(client, task, "WORKING")
        canceled = await client.cancel_task(CancelTaskRequest(id=task.id))
        assert state(canceled) == "CANCELED", canceled
        assert state(await get(client, task)) == "CANCELED"
        again = client.cancel_task(CancelTaskRequest(id=task.id))
        await refused(TaskNotCancelableError, again)


async def get_with_history(address: str) -> None:
    async with connect(address, streaming=False) as client:
        task = await send(client, "hello")
        assert await get(client, task) == task
        for length, kept in [(0, 0), (1, 1), (99, 2)]:
            request = GetTaskRequest(id=task.id, history_length=length)
            history = (await client.get_task(request)).history
            assert list(history) == list(task.history[2 - kept :]), (length, history)


async def list_by_filter_and_page(address: str) -> None:
    async with connect(address) as client:
        done = [await send(client, f"number {n}") for n in range(5)]
        asked = await send(client, "ask me")
        newest_first = [asked.id, *(task.id for task in reversed(done))]
        assert await listed(client) == newest_first
        assert await listed(client, page_size=2) == newest_first
        by_context = await listed(client, context_id=done[1].context_id)
        assert by_context == [done[1].id]
        waiting = TaskState.TASK_STATE_INPUT_REQUIRED
        assert await listed(client, status=waiting) == [asked.id]
        since = done[3].status.timestamp
        assert await listed(client, status_timestamp_after=since) == newest_first[:3]
        await check_pages(client)


async def check_pages(client: Client) -> None:
    page = await client.list_tasks(ListTasksRequest(page_size=2))
    assert (len(page.tasks), page.page_size, page.total_size) == (2, 2, 6), page
    assert not any(task.artifacts for task in page.tasks), page
    full = ListTasksRequest(include_artifacts=True, history_length=0)
    tasks = (await client.list_tasks(full)).tasks
    assert texts(tasks[1]) == ["You wrote: number 4."], tasks
    assert not any(task.history for task in tasks), tasks
    await invalid(client.list_tasks(ListTasksRequest(page_size=101)))
    await invalid(client.list_tasks(ListTasksRequest(page_token="no token")))


async def push_configs(address: str) -> None:
    async with connect(address) as client:
        task = await send(client, "hello")
        secret = AuthenticationInfo(scheme="Bearer", credentials="secret")
        wanted = TaskPushNotificationConfig(
            task_id=task.id, id="a", url=HOOK, token="token", authentication=secret
        )
        create = client.create_task_push_notification_config
        assert await create(wanted) == wanted
        named = await create(TaskPushNotificationConfig(task_id=task.id, url=HOOK))
        assert named.id, "an id is made where none is given"
        ids = sorted(["a", named.id])
        assert await listed_configs(client, task) == ids
        assert await listed_configs(client, task, page_size=1) == ids
        await check_removal(client, wanted)
        assert await listed_configs(client, task) == [named.id]


async def check_removal(client: Client, config: TaskPushNotificationConfig) -> None:
    names = {"task_id": config.task_id, "id": config.id}
    get_it = GetTaskPushNotificationConfigRequest(**names)
    assert await client.get_task_push_notification_config(get_it) == config
    for _ in range(2):
        remove = DeleteTaskPushNotificationConfigRequest(**names)
        await client.delete_task_push_notification_config(remove)
    gone = client.get_task_push_notification_config(get_it)
    await refused(TaskNotFoundError, gone)


async def typed_errors(address: str) -> None:
    nowhere = Task(id=NOWHERE)
    async with connect(address, streaming=False) as client:
        done = await send(client, "hello")
        for call in [
            get(client, nowhere),
            client.cancel_task(CancelTaskRequest(id=NOWHERE)),
            send(client, "hello", nowhere),
            listed_configs(client, nowhere),
        ]:
            await refused(TaskNotFoundError, call)
        await refused(UnsupportedOperationError, send(client, "more", done))
        cancel_done = client.cancel_task(CancelTaskRequest(id=done.id))
        await refused(TaskNotCancelableError, cancel_done)
        card = client.get_extended_agent_card(GetExtendedAgentCardRequest())
        await refused(UnsupportedOperationError, card)
        await invalid(all_of(client.send_message(of(Part(filename="x")))))
    async with connect(address) as client:
        stream = client.subscribe(SubscribeToTaskRequest(id=NOWHERE))
        await refused(TaskNotFoundError, all_of(stream))
        stream = client.send_message(message("more", done))
        await refused(UnsupportedOperationError, all_of(stream))


async def direct_reply(address: str) -> None:
    """The service lets agents answer without a task."""
    for streaming in [True, False]:
        async with connect(address, streaming=streaming) as client:
            items = await all_of(client.send_message(message("ping")))
            assert [item.WhichOneof("payload") for item in items] == ["message"], items
            assert get_message_text(items[0].message) == "pong", items
            assert await listed(client) == []


async def without_capabilities(address: str) -> None:
    """The agent's card declares nothing but an extended card, and there is none."""
    async with connect(address) as client:
        stream = client.send_message(message("hello"))
        await refused(UnsupportedOperationError, all_of(stream))
        config = TaskPushNotificationConfig(task_id=NOWHERE, url=HOOK)
        create = client.create_task_push_notification_config(config)
        await refused(PushNotificationNotSupportedError, create)
        card = client.get_extended_agent_card(GetExtendedAgentCardRequest())
        await refused(ExtendedAgentCardNotConfiguredError, card)
    async with connect(address, streaming=False) as client:
        image = Part(raw=b"x", media_type="image/png")
        await refused(
            ContentTypeNotSupportedError, all_of(client.send_message(of(image)))
        )


async def required_extension(address: str) -> None:
    """The agent's card requires the extension urn:example:needed."""
    async with connect(address, streaming=False) as client:
        await refused(ExtensionSupportRequiredError, send(client, "hello"))
        named = with_a2a_extensions(["urn:example:other", "urn:example:needed"])
        context = ClientCallContext(
            service_parameters=ServiceParametersFactory.create([named])
        )
        items = await all_of(client.send_message(message("hello"), context=context))
        assert state(items[0].task) == "COMPLETED", items


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


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], globals()[sys.argv[2]]))
