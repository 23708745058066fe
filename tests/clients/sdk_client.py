"""The client of the PyPI package a2a-sdk, against our task service.

    python sdk_client.py localhost:50051 blocking_send

The second argument names one of the functions below `main`. Behind the service works
agent_worker.py: the first word of a message says what it does.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable

from a2a.client import (
    Client,
    ClientCallContext,
)
from a2a.client.service_parameters import ServiceParametersFactory, with_a2a_extensions
from a2a.helpers import get_message_text
from a2a.types import (
    CancelTaskRequest,
    ContentTypeNotSupportedError,
    DeleteTaskPushNotificationConfigRequest,
    ExtendedAgentCardNotConfiguredError,
    ExtensionSupportRequiredError,
    GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    Part,
    PushNotificationNotSupportedError,
    SubscribeToTaskRequest,
    Task,
    TaskNotCancelableError,
    TaskNotFoundError,
    TaskPushNotificationConfig,
    TaskState,
    UnsupportedOperationError,
)
from a2a.types.a2a_pb2 import AuthenticationInfo, ListTasksRequest

from sdk import (
    all_of,
    connect,
    get,
    gist,
    invalid,
    listed,
    listed_configs,
    message,
    of,
    poll,
    refused,
    send,
    state,
    texts,
    until_state,
)

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


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], globals()[sys.argv[2]]))
