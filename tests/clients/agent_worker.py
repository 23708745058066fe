"""An agent worker to copy: leases, reconnects, artifacts in chunks, questions, cancels.

    pip install grpcio grpcio-tools
    python -m grpc_tools.protoc -I proto -I proto/a2a \
        --python_out=. --grpc_python_out=. lf/a2a/v1/a2a.proto agent/v1/agent.proto
    python agent_worker.py localhost:50052

Your agent goes into `work`; the rest can stay as it is.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from typing import NamedTuple

import grpc
from agent.v1 import agent_pb2 as api
from agent.v1.agent_pb2_grpc import AgentServiceStub
from lf.a2a.v1 import a2a_pb2 as a2a

MAX_LEASES = 8
RECONNECT_S = 0.2
# While the service is away, calls wait for it, and those cut off are tried again.
RETRIES = {
    "maxAttempts": 5,
    "initialBackoff": "0.2s",
    "maxBackoff": "2s",
    "backoffMultiplier": 2,
    "retryableStatusCodes": ["UNAVAILABLE"],
}
CALLS = {"name": [{}], "waitForReady": True, "retryPolicy": RETRIES}
CHANNEL = [
    ("grpc.service_config", json.dumps({"methodConfig": [CALLS]})),
    ("grpc.max_reconnect_backoff_ms", 2000),
]


class Job(NamedTuple):
    """A task at work, under which lease, and the last that was received for it."""

    token: str
    revision: int
    running: asyncio.Task[None]


Jobs = dict[str, Job]


async def work(agent: AgentServiceStub, item: api.WorkItem) -> None:
    """What the agent does with one message of its user."""
    asked = " ".join(part.text for part in item.request.message.parts)
    if asked == "ping":  # answered without a task, where the service allows that
        await agent.ReplyWithMessage(reply(item, "pong"))
        return
    if item.kind == api.WORK_KIND_NEW_TASK and asked.startswith("ask"):
        await agent.RequireInput(move(item, "Which one?"))
        return
    if item.task.status.state != a2a.TASK_STATE_WORKING:  # else it was begun before
        await agent.StartWorking(move(item, "Looking into it"))
    if asked.startswith("wait"):
        await asyncio.Event().wait()  # until a further message, or a cancel
    if asked.startswith("slow"):
        await asyncio.sleep(float(asked.split()[1]))
    await agent.UpdateArtifacts(chunks(item, ["You wrote: ", asked, "."]))
    await agent.CompleteTask(move(item, "Here you are"))


async def chunks(
    item: api.WorkItem, texts: list[str]
) -> AsyncIterator[api.UpdateArtifactRequest]:
    """One artifact in pieces. The first one replaces what a lost attempt left."""
    for index, text in enumerate(texts):
        yield api.UpdateArtifactRequest(
            id=item.task.id,
            artifact=a2a.Artifact(artifact_id="answer", parts=[a2a.Part(text=text)]),
            append=index > 0,
            last_chunk=index == len(texts) - 1,
            lease_token=item.lease.token,
        )


def move(item: api.WorkItem, text: str) -> api.TransitionRequest:
    return api.TransitionRequest(
        id=item.task.id, status_message=says(text), lease_token=item.lease.token
    )


def reply(item: api.WorkItem, text: str) -> api.ReplyWithMessageRequest:
    return api.ReplyWithMessageRequest(
        id=item.task.id, message=says(text), lease_token=item.lease.token
    )


def says(text: str) -> a2a.Message:
    return a2a.Message(role=a2a.ROLE_AGENT, parts=[a2a.Part(text=text)])


async def run(agent: AgentServiceStub, item: api.WorkItem, jobs: Jobs) -> None:
    """Works on an item, and keeps its lease for as long as that takes."""
    keeping = asyncio.create_task(keep_lease(agent, item))
    try:
        await work(agent, item)
    except grpc.aio.AioRpcError as error:
        # The lease runs out, and what is still to be done is handed out again.
        print(f"gave up {item.task.id}: {error.code().name} {error.details()}")
    except Exception as error:  # a bug of the agent: its user should hear of it
        print(f"failed {item.task.id}: {error!r}")
        await agent.FailTask(move(item, "Something went wrong"))
    finally:
        keeping.cancel()
    del jobs[item.task.id]


async def keep_lease(agent: AgentServiceStub, item: api.WorkItem) -> None:
    lease = item.lease
    request = api.ExtendLeaseRequest(id=item.task.id, lease_token=lease.token)
    try:
        while True:
            await asyncio.sleep(lease.remaining_ms / 3000)
            lease = await agent.ExtendLease(request)
    except grpc.aio.AioRpcError as error:  # commands are refused from now on
        print(f"lost the lease of {item.task.id}: {error.details()}")


async def receive(agent: AgentServiceStub, jobs: Jobs) -> None:
    """Starts a job for each item. Jobs that outlive a connection go on in the next."""
    held = [
        api.HeldLease(id=id, lease_token=job.token, received_revision=job.revision)
        for id, job in jobs.items()
    ]
    request = api.ReceiveWorkRequest(max_leases=MAX_LEASES, held=held)
    async for item in agent.ReceiveWork(request):
        kind, id = api.WorkKind.Name(item.kind), item.task.id
        print(f"received {kind} {id}, delivery {item.delivery}")
        if job := jobs.pop(id, None):  # over, or begun anew with a further message
            job.running.cancel()
        if item.kind != api.WORK_KIND_CANCEL:
            running = asyncio.create_task(run(agent, item, jobs))
            jobs[id] = Job(item.lease.token, item.revision, running)


async def main(address: str) -> None:
    jobs: Jobs = {}
    async with grpc.aio.insecure_channel(address, options=CHANNEL) as channel:
        agent = AgentServiceStub(channel)
        while True:
            try:
                await receive(agent, jobs)
            except grpc.aio.AioRpcError as error:
                print(f"disconnected: {error.code().name} {error.details()}")
            await asyncio.sleep(RECONNECT_S)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
