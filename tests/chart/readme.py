"""Makes the table of values in the chart's README from the comments of values.yaml.

    readme.py          writes it
    readme.py --check  fails while it differs
"""

import json
import re
import sys
from pathlib import Path

import yaml

CHART = Path(__file__).resolve().parents[2] / "helm" / "a2a-tasks"
BEGIN, END = "<!-- values -->\n", "<!-- end of values -->"


def main(arguments: list) -> None:
    path = CHART / "README.md"
    text = path.read_text()
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    updated = before + BEGIN + table((CHART / "values.yaml").read_text()) + END + after
    if arguments == ["--check"]:
        if text != updated:
            sys.exit("the table of values is out of date: run make docs-chart")
    else:
        path.write_text(updated)


def table(text: str) -> str:
    values = yaml.safe_load(text)
    rows = [f"| `{name}` | `{shown(values, name)}` | {what} |\n" for name, what in described(text)]
    return "| value | default | what |\n|---|---|---|\n" + "".join(rows)


def described(text: str) -> list:
    """(dotted name, comment) of every value that has a comment starting with --."""
    path, comment, found = [], "", []
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        if start := re.match(r"\s*# -- (.*)", line):
            comment = start[1]
        elif comment and (more := re.match(r"\s*# (.*)", line)):
            comment += " " + more[1]
        elif key := re.match(r"\s*([A-Za-z0-9]+):", line):
            path = path[: indent // 2] + [key[1]]
            if comment:
                found.append((".".join(path), comment.replace("|", "\\|")))
            comment = ""
    return found


def shown(values: dict, name: str) -> str:
    for part in name.split("."):
        values = values[part]
    return json.dumps(values)


if __name__ == "__main__":
    main(sys.argv[1:])
