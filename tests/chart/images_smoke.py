"""Runs the images built by tests/chart/images, and sends a message through to a webhook."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid

HARDENED = ["--read-only", "--cap-drop", "all", "--security-opt", "no-new-privileges", "--memory", "256m",
            "--pids-limit", "128"]
NAMES = {"task-service": "a2a-task-service", "dispatcher": "a2a-dispatcher", "agent": "a2a-demo-agent",
         "receiver": "a2a-demo-receiver"}
RUN = uuid.uuid4().hex[:8]
NETWORK = f"a2a-smoke-{RUN}"
WAIT_S = 60


def podman(*arguments, check=True) -> str:
    done = subprocess.run(["podman", *map(str, arguments)], capture_output=True, text=True)
    if check and done.returncode != 0:
        sys.exit(f"podman {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout + done.stderr


def container(name: str) -> str:
    return f"{name}-{RUN}"


def start(name: str, env: dict, *options) -> None:
    variables = [argument for item in env.items() for argument in ("--env", "=".join(item))]
    podman("run", "--detach", "--name", container(name), "--hostname", name, "--network", NETWORK,
           "--network-alias", name, *HARDENED, *variables, *options, f"localhost/{NAMES[name]}:smoke")


def until(what: str, condition):
    give_up = time.monotonic() + WAIT_S
    while time.monotonic() < give_up:
        if found := condition():
            return found
        time.sleep(0.2)
    for name in NAMES:
        print(f"--- {name}\n{podman('logs', container(name), check=False)[-4000:]}")
    sys.exit(f"{what}: not within {WAIT_S} s")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def check_image(image: str) -> None:
    (config,) = json.loads(podman("image", "inspect", f"localhost/{image}:smoke"))
    assert config["Config"]["User"] == "65532:65532", config["Config"]
    assert config["Config"]["Entrypoint"] == [f"/{image}"], config["Config"]
    assert config["Config"]["Labels"]["org.opencontainers.image.title"] == image
    made = podman("create", f"localhost/{image}:smoke").strip()
    export = subprocess.Popen(["podman", "export", made], stdout=subprocess.PIPE)
    listed = subprocess.run(["tar", "--list", "--verbose"], stdin=export.stdout, capture_output=True, text=True).stdout
    podman("rm", made)
    # What the engine itself adds is empty.
    files = {line.split()[5] for line in listed.splitlines() if line[0] == "-" and line.split()[2] != "0"}
    assert files == {image, "etc/ssl/certs/ca-certificates.crt"}, files
    print(f"{image}: one binary, the authorities, and nothing else")


def start_all(redis_port: int) -> None:
    common = {
        "A2A_REDIS_URL": f"redis://host.containers.internal:{redis_port}",
        "A2A_ADMIN_ADDR": "0.0.0.0:9090",
        "A2A_PLAINTEXT_SECRETS": "true",
        "A2A_ALLOW_WEBHOOK_HTTP": "true",
        "A2A_ALLOW_WEBHOOK_CIDR": "10.0.0.0/8",
    }
    start("receiver", {"DEMO_RECEIVER_ADDR": "0.0.0.0:8099", "DEMO_TOKEN": "t", "DEMO_CREDENTIALS": "c"})
    doors = {"A2A_GRPC_ADDR": "0.0.0.0:50051", "A2A_AGENT_GRPC_ADDR": "0.0.0.0:50052", "A2A_HTTP_ADDR": "0.0.0.0:8080"}
    start("task-service", common | doors, "--publish", "127.0.0.1::8080")
    start("dispatcher", common | {"A2A_GRPC_ADDR": "0.0.0.0:50053"})
    start("agent", {"DEMO_AGENT_ADDR": "task-service:50052"})


def probe(name: str, target: str, service: str) -> None:
    done = podman("exec", container(name), f"/{NAMES[name]}", "probe", target, "--service", service,
                  "--wait-ms", WAIT_S * 1000, check=False)
    assert done == "", done
    print(f"{name}: {service} serves at {target}")


def check_isolation(name: str) -> None:
    pid = podman("inspect", "--format", "{{.State.Pid}}", container(name)).strip()
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        fields = dict(line.rstrip("\n").split(":\t", 1) for line in status if ":\t" in line)
    assert fields["Uid"].split()[0] == "65532", fields["Uid"]
    assert int(fields["CapEff"], 16) == 0 and fields["NoNewPrivs"] == "1" and fields["Seccomp"] == "2", fields
    print(f"{name}: uid 65532, no capabilities, no new privileges, seccomp")


def send() -> str:
    port = podman("port", container("task-service"), "8080").strip().rsplit(":", 1)[1]
    webhook = {"url": "http://receiver:8099/webhook", "token": "t", "authentication": {"scheme": "Bearer", "credentials": "c"}}
    message = {"messageId": str(uuid.uuid4()), "role": "ROLE_USER", "parts": [{"text": "hello"}]}
    body = {"message": message, "configuration": {"taskPushNotificationConfig": webhook}}
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/message:send",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/a2a+json", "A2A-Version": "1.0"},
    )
    with urllib.request.urlopen(request, timeout=WAIT_S) as answer:
        task = json.load(answer)["task"]
    assert task["status"]["state"] == "TASK_STATE_COMPLETED", task
    return task["id"]


def stop_all() -> None:
    for name in ("agent", "dispatcher", "task-service", "receiver"):
        podman("stop", "--time", 20, container(name))
        code = podman("inspect", "--format", "{{.State.ExitCode}}", container(name)).strip()
        assert code == "0", f"{name} ended with {code}: {podman('logs', container(name))[-2000:]}"
    print("all end with status 0 on SIGTERM")


def main() -> None:
    # Also a killed run takes its containers with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    for image in NAMES.values():
        check_image(image)
    redis_port = free_port()
    with tempfile.TemporaryDirectory() as data:
        redis = subprocess.Popen(
            [os.environ["A2A_TEST_REDIS_SERVER"], "--port", str(redis_port), "--bind", "0.0.0.0", "--protected-mode",
             "no", "--save", "", "--dir", data, "--maxmemory-policy", "noeviction"], stdout=subprocess.DEVNULL)
        try:
            podman("network", "create", NETWORK)
            start_all(redis_port)
            probe("task-service", "127.0.0.1:50051", "lf.a2a.v1.A2AService")
            probe("dispatcher", "task-service:50052", "a2a.agent.v1.AgentService")
            probe("task-service", "dispatcher:50053", "a2a.push.v1.PushAdminService")
            check_isolation("task-service")
            check_isolation("dispatcher")
            task = send()
            print(f"task {task} completed")
            until("the webhook's last event",
                  lambda: "statusUpdate    COMPLETED" in podman("logs", container("receiver")))
            print("the webhook got its events")
            stop_all()
        finally:
            for name in NAMES:
                podman("rm", "--force", "--time", 1, container(name), check=False)
            podman("network", "rm", "--force", NETWORK, check=False)
            redis.terminate()
            redis.wait(timeout=20)
    print("images: passed")


if __name__ == "__main__":
    main()
