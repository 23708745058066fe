# pip install grpcio grpcio-tools; make stubs of our .proto files:
#   python -m grpc_tools.protoc -I proto -I proto/a2a --python_out=. \
#     --grpc_python_out=. lf/a2a/v1/a2a.proto agent/v1/agent.proto
# Then: python agent.py localhost:50052
import sys

import grpc
from agent.v1 import agent_pb2 as api
from agent.v1.agent_pb2_grpc import AgentServiceStub
from lf.a2a.v1.a2a_pb2 import Artifact, Part


def answer(agent: AgentServiceStub, work: api.WorkItem) -> None:
    task = {"id": work.task.id, "lease_token": work.lease.token}
    agent.StartWorking(api.TransitionRequest(**task))
    echo = Part(text=f"You wrote: {work.request.message.parts[0].text}")
    artifact = Artifact(artifact_id="echo", parts=[echo])
    agent.UpdateArtifact(api.UpdateArtifactRequest(artifact=artifact, **task))
    agent.CompleteTask(api.TransitionRequest(**task))


agent = AgentServiceStub(grpc.insecure_channel(sys.argv[1]))
for work in agent.ReceiveWork(api.ReceiveWorkRequest(max_leases=1)):
    if work.kind != api.WORK_KIND_CANCEL:
        answer(agent, work)
