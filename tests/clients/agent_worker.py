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
# While the service is away, calls wait for it, and are tried again.
RETRY = {
    "maxAttempts": 5,
    "initialBackoff": "0.2s",
    "maxBackoff": "2s",
    "backoffMultiplier": 2,
    "retryableStatusCodes": ["UNAVAILABLE"],
}
METHODS = {"name": [{}], "waitForReady": True, "retryPolicy": RETRY}
CHANNEL = [
    ("grpc.service_config", json.dumps({"methodConfig": [METHODS]})),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2000),
]


class Job(NamedTuple):
    """A task at work, and the token of the lease that it is worked on under."""

    token: str
    running: asyncio.Task[None]


async def work(agent: AgentServiceStub, item: api.WorkItem) -> None:
    """What the agent does with one message of its user."""
    asked = text_of(item.request.message)
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


def move(item: api.WorkItem, saying: str) -> api.TransitionRequest:
    message = a2a.Message(role=a2a.ROLE_AGENT, parts=[a2a.Part(text=saying)])
    return api.TransitionRequest(
        id=item.task.id, status_message=message, lease_token=item.lease.token
    )


def text_of(message: a2a.Message) -> str:
    return " ".join(part.text for part in message.parts if part.HasField("text"))


async def attempt(agent: AgentServiceStub, item: api.WorkItem) -> None:
    try:
        await work(agent, item)
    except grpc.aio.AioRpcError:
        raise
    except Exception as error:  # a bug of the agent: its user should hear of it
        log("failed", item.task.id, repr(error))
        await agent.FailTask(move(item, "Something went wrong"))


async def run(
    agent: AgentServiceStub, item: api.WorkItem, jobs: dict[str, Job]
) -> None:
    """Works on an item, and keeps its lease for as long as that takes."""
    keeping = asyncio.create_task(keep_lease(agent, item))
    try:
        await attempt(agent, item)
        log("done", item.task.id)
    except grpc.aio.AioRpcError as error:
        # The lease runs out, and what is still to be done is handed out again.
        log("gave up", item.task.id, f"{error.code().name}: {error.details()}")
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
    except grpc.aio.AioRpcError as error:  # the next command is refused, then
        log("lease lost", item.task.id, f"{error.code().name}: {error.details()}")


async def receive(agent: AgentServiceStub, jobs: dict[str, Job]) -> None:
    """Starts a job for each item. Jobs that outlive a connection go on in the next."""
    held = [api.HeldLease(id=id, lease_token=job.token) for id, job in jobs.items()]
    request = api.ReceiveWorkRequest(max_leases=MAX_LEASES, held=held)
    async for item in agent.ReceiveWork(request):
        log("received", api.WorkKind.Name(item.kind), item.task.id, str(item.delivery))
        # A cancel ends the job; a further message begins it anew.
        if job := jobs.pop(item.task.id, None):
            job.running.cancel()
        if item.kind != api.WORK_KIND_CANCEL:
            running = asyncio.create_task(run(agent, item, jobs))
            jobs[item.task.id] = Job(item.lease.token, running)


async def main(address: str) -> None:
    jobs: dict[str, Job] = {}
    async with grpc.aio.insecure_channel(address, options=CHANNEL) as channel:
        agent = AgentServiceStub(channel)
        while True:
            try:
                await receive(agent, jobs)
            except grpc.aio.AioRpcError as error:
                log("disconnected", f"{error.code().name}: {error.details()}")
            await asyncio.sleep(RECONNECT_S)


def log(*words: str) -> None:
    print(*words, flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
