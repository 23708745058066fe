"""The chart's README says what values.yaml says, and values.yaml says something about everything."""

import json
import sys

import yaml

from conftest import CHART, ROOT, run
from readme import described


def test_the_table_of_values_is_up_to_date():
    done = run(sys.executable, ROOT / "tests/chart/readme.py", "--check")
    assert done.returncode == 0, done.stderr


def test_every_value_is_described():
    names = {name for name, _ in described((CHART / "values.yaml").read_text())}

    def visit(value, path):
        if ".".join(path) in names:
            return
        assert isinstance(value, dict) and value, f"{'.'.join(path)} has no comment that starts with --"
        for key, child in value.items():
            visit(child, [*path, key])

    visit(yaml.safe_load((CHART / "values.yaml").read_text()), [])


def test_every_default_is_in_the_schema_and_the_other_way_round():
    schema = json.loads((CHART / "values.schema.json").read_text())

    def properties(node):
        while "$ref" in node:
            node = schema["definitions"][node["$ref"].split("/")[-1]]
        return node.get("properties")

    def visit(node, value, path):
        known = properties(node)
        if known is None or path[-1:] == ["settings"] or not isinstance(value, dict):
            return
        optional = {"global"} if not path else {"claims"} if path[-1] == "resources" else set()
        if "timeoutSeconds" in known:
            optional = set(known)
        assert known.keys() - optional == value.keys() - optional, path
        for key in value:
            visit(known[key], value[key], [*path, key])

    visit(schema, yaml.safe_load((CHART / "values.yaml").read_text()), [])


def test_the_schema_is_closed_everywhere():
    def visit(node, path):
        if isinstance(node, dict):
            if "properties" in node and path[-1:] != ["if"] and path[-1:] != ["then"]:
                assert node.get("additionalProperties") is False, path
            for key, child in node.items():
                visit(child, [*path, key])

    schema = json.loads((CHART / "values.schema.json").read_text())
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
    visit(schema, [])
