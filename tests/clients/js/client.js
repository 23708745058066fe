// The client of the npm package @a2a-js/sdk, against our task service.
//
//     node client.js http://localhost:8080 JSONRPC
//
// The second argument names the binding; the client finds its address in the agent card. Behind the
// service works agent_worker.py: the first word of a message says what it does. A third argument, the
// public key in PEM, has the card's signature verified.

import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";

import {
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTasksRequest,
  SendMessageRequest,
  SubscribeToTaskRequest,
  TaskPushNotificationConfig,
  TaskState,
  verifyAgentCardSignature,
} from "@a2a-js/sdk";
import { ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from "@a2a-js/sdk/client";
import { GrpcTransportFactory } from "@a2a-js/sdk/client/grpc";
import { TaskNotCancelableError, TaskNotFoundError } from "@a2a-js/sdk/errors";

const NOWHERE = "00000000-0000-4000-8000-000000000000";

const [url, binding, publicKey] = process.argv.slice(2);
const transports = {
  JSONRPC: new JsonRpcTransportFactory(),
  "HTTP+JSON": new RestTransportFactory(),
  GRPC: new GrpcTransportFactory(),
};
const client = await new ClientFactory({ transports: [transports[binding]] }).createFromUrl(url);

for (const scenario of [discovery, sending, streaming, followUp, canceling, listing, pushConfigs, errors]) {
  await scenario();
  console.log(scenario.name);
}
process.exit(0);

async function discovery() {
  const verify = publicKey && verifyAgentCardSignature(() => createPublicKey(readFileSync(publicKey)));
  const card = await client.getAgentCard(undefined, verify);
  assert.ok(card.supportedInterfaces.some((one) => one.protocolBinding === binding));
}

async function sending() {
  const task = await client.sendMessage(message("hello"));
  assert.equal(state(task), "TASK_STATE_COMPLETED");
  assert.deepEqual(task.artifacts[0].parts.map(text), ["You wrote: ", "hello", "."]);
  assert.deepEqual(await get(task), task);
}

async function streaming() {
  const events = await all(client.sendMessageStream(message("hello")));
  const kinds = ["task", "statusUpdate", "artifactUpdate", "artifactUpdate", "artifactUpdate", "statusUpdate"];
  assert.deepEqual(events.map(({ payload }) => payload.$case), kinds);
  assert.equal(state(events.at(-1).payload.value), "TASK_STATE_COMPLETED");
}

async function followUp() {
  const asked = await client.sendMessage(message("ask me"));
  assert.equal(state(asked), "TASK_STATE_INPUT_REQUIRED");
  const answered = await client.sendMessage(message("the blue one", asked));
  assert.equal(answered.id, asked.id);
  assert.equal(state(answered), "TASK_STATE_COMPLETED");
}

async function canceling() {
  const task = await client.sendMessage(message("wait", undefined, { returnImmediately: true }));
  const events = client.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id: task.id }));
  const first = await events.next();
  assert.equal(first.value.payload.$case, "task");
  const request = CancelTaskRequest.fromJSON({ id: task.id });
  assert.equal(state(await client.cancelTask(request)), "TASK_STATE_CANCELED");
  const rest = await all(events);
  assert.equal(state(rest.at(-1).payload.value), "TASK_STATE_CANCELED");
  await assert.rejects(client.cancelTask(request), TaskNotCancelableError);
}

async function listing() {
  const task = await client.sendMessage(message("hello"));
  const page = await client.listTasks(ListTasksRequest.fromJSON({ contextId: task.contextId, pageSize: 5 }));
  assert.deepEqual(page.tasks.map(({ id }) => id), [task.id]);
  assert.deepEqual([page.pageSize, page.totalSize, page.nextPageToken], [5, 1, ""]);
}

async function pushConfigs() {
  const { id: taskId } = await client.sendMessage(message("hello"));
  const config = TaskPushNotificationConfig.fromJSON({
    taskId,
    id: "mine",
    url: "http://127.0.0.1:9/hook",
    token: "token",
    authentication: { scheme: "Bearer", credentials: "secret" },
  });
  assert.deepEqual(await client.createTaskPushNotificationConfig(config), config);
  const named = GetTaskPushNotificationConfigRequest.fromJSON({ taskId, id: "mine" });
  assert.deepEqual(await client.getTaskPushNotificationConfig(named), config);
  const list = ListTaskPushNotificationConfigsRequest.fromJSON({ taskId });
  assert.deepEqual((await client.listTaskPushNotificationConfig(list)).configs, [config]);
  await client.deleteTaskPushNotificationConfig(DeleteTaskPushNotificationConfigRequest.fromJSON({ taskId, id: "mine" }));
  await assert.rejects(client.getTaskPushNotificationConfig(named), TaskNotFoundError);
}

async function errors() {
  await assert.rejects(get({ id: NOWHERE }), TaskNotFoundError);
  await assert.rejects(client.cancelTask(CancelTaskRequest.fromJSON({ id: NOWHERE })), TaskNotFoundError);
  await assert.rejects(all(client.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id: NOWHERE }))), TaskNotFoundError);
}

function message(said, task, configuration) {
  const ofTask = task && { taskId: task.id, contextId: task.contextId };
  const part = { text: said };
  return SendMessageRequest.fromJSON({
    message: { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [part], ...ofTask },
    configuration,
  });
}

function get(task) {
  return client.getTask(GetTaskRequest.fromJSON({ id: task.id }));
}

function state({ status }) {
  return TaskState[status.state];
}

function text({ content }) {
  return content.value;
}

async function all(events) {
  const seen = [];
  for await (const event of events) {
    seen.push(event);
  }
  return seen;
}
