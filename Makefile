# The two to know: `make run` and `make test`. What they need and do not find, they install under ./.dev,
# or say in one line what to install.

TARGET := $(or $(CARGO_TARGET_DIR),target)
TEST_TOOLS = redis=$$(deploy/dev/redis-server) && python=$$(deploy/dev/python) && node=$$(deploy/dev/node) && \
	export A2A_TEST_REDIS_SERVER="$$redis" A2A_TEST_PYTHON="$$python" A2A_TEST_NODE="$$node"

.DEFAULT_GOAL := help
.PHONY: help run conformance-up test test-browser test-cli chaos docs fmt lint deny ci clean rust

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-20s %s\n", $$1, $$2 }'

run: rust ## start everything with a sample agent and a webhook receiver; ONCE=1 stops after one round
	@if [ -z "$${REDIS_URL:-}" ]; then \
	A2A_DEV_REDIS_SERVER=$$(deploy/dev/redis-server) || exit 1; export A2A_DEV_REDIS_SERVER; fi; \
	cargo build -p a2a-task-service -p a2a-dispatcher -p a2a-demo --bins && \
	exec "$(TARGET)/debug/a2a-demo-up" $(if $(filter 1,$(ONCE)),--once)

conformance-up: rust ## start everything with the agent of the A2A conformance suite, until Ctrl-C
	@if [ -z "$${REDIS_URL:-}" ]; then \
	A2A_DEV_REDIS_SERVER=$$(deploy/dev/redis-server) || exit 1; export A2A_DEV_REDIS_SERVER; fi; \
	cargo build -p a2a-task-service -p a2a-dispatcher -p a2a-demo --bins && \
	exec "$(TARGET)/debug/a2a-demo-up" --conformance deploy/conformance/agent-card.json

test: rust ## run all tests against real Redis, real binaries and third-party clients
	@$(TEST_TOOLS) && cargo build --workspace --bins && cargo test --workspace --no-fail-fast

test-chart: rust ## render the chart with both helms and check it, the alerts, the dashboard and the Dockerfile
	@tools=$$(deploy/dev/chart-tools) && redis=$$(deploy/dev/redis-server) && \
	cargo build -p a2a-task-service -p a2a-dispatcher -p a2a-demo --bins && \
	PATH="$$tools/venv/bin:$$PATH" A2A_CHART_TOOLS="$$tools" A2A_TEST_REDIS_SERVER="$$redis" \
	"$$tools/venv/bin/python" -B -m pytest -c tests/chart/pytest.ini tests/chart

test-images: rust ## build the images with buildah and run them under podman, a message through to a webhook; slow
	@tests/chart/images

test-browser: rust ## follow a task from a page of another origin, in a real Chromium
	@chromium=$$(deploy/dev/chromium) && redis=$$(deploy/dev/redis-server) && cargo build --workspace --bins && \
	A2A_TEST_CHROMIUM="$$chromium" A2A_TEST_REDIS_SERVER="$$redis" cargo test -p a2a-tests --features browser --test browser

test-cli: rust ## use the services through the A2A project's own command line client
	@cli=$$(deploy/dev/a2acli) && redis=$$(deploy/dev/redis-server) && cargo build --workspace --bins && \
	A2A_TEST_A2ACLI="$$cli" A2A_TEST_REDIS_SERVER="$$redis" cargo test -p a2a-tests --features cli --test cli

chaos: rust ## run the full fault schedule: kills, restarts and lost connections
	@$(TEST_TOOLS) && cargo build --workspace --bins && \
	A2A_CHAOS=full cargo test -p a2a-tests --test chaos -- --nocapture

docs: rust ## write the README's tables of settings anew
	A2A_UPDATE_DOCS=1 cargo test --quiet -p a2a-tests --test docs

docs-chart: ## write the table of values in the chart's README anew
	@tools=$$(deploy/dev/chart-tools) && "$$tools/venv/bin/python" -B tests/chart/readme.py

fmt: rust ## format the code
	cargo fmt --all

lint: rust ## check formatting and clippy, warnings denied
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings

deny: rust ## check licenses, banned crates and sources of all dependencies
	@deny=$$(deploy/dev/cargo-deny) && "$$deny" check licenses bans sources

ci: ## run what CI runs
	.ci/run

clean: ## remove what was built, fetched and stored
	cargo clean
	rm -rf .dev data

rust:
	@deploy/dev/rust
