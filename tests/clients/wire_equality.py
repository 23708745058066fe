"""Compares the wire contract of our lf.a2a.v1 with that of the PyPI package a2a-sdk.

    python wire_equality.py descriptors.bin

The argument is a google.protobuf.FileDescriptorSet. Whatever either side says that
the other does not is printed, and the exit status is 1.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from a2a.types import a2a_pb2
from google.protobuf.descriptor import (
    Descriptor,
    EnumDescriptor,
    FieldDescriptor,
    FileDescriptor,
    MethodDescriptor,
)
from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool

OFFICIAL = a2a_pb2.DESCRIPTOR
PACKAGE = OFFICIAL.package

# What is said, such as ("field", "lf.a2a.v1.Task.id", "number", 1).
Fact = tuple[str, str, str, object]


def main(path: str) -> int:
    ours = facts(our_files(Path(path).read_bytes()))
    theirs = facts([OFFICIAL])
    for fact in sorted(ours - theirs, key=str):
        print("only ours:    ", *fact)
    for fact in sorted(theirs - ours, key=str):
        print("only official:", *fact)
    print(f"compared {summary(theirs)}")
    return int(ours != theirs)


def our_files(encoded: bytes) -> list[FileDescriptor]:
    """Ours, in a pool of their own: the default one holds the official ones."""
    pool = DescriptorPool()
    files = FileDescriptorSet.FromString(encoded).file
    for file in files:
        pool.Add(file)
    return [pool.FindFileByName(file.name) for file in files if file.package == PACKAGE]


def facts(files: list[FileDescriptor]) -> set[Fact]:
    return {fact for file in files for fact in of_file(file)}


def summary(stated: set[Fact]) -> str:
    counts = Counter(kind for kind, _, about, _ in stated if about == "exists")
    named = ", ".join(f"{count} {kind}s" for kind, count in sorted(counts.items()))
    return f"{named}: {len(stated)} facts"


def of_file(file: FileDescriptor) -> Iterator[Fact]:
    yield "package", file.package, "exists", True
    for message in file.message_types_by_name.values():
        yield from of_message(message)
    for enum in file.enum_types_by_name.values():
        yield from of_enum(enum)
    for service in file.services_by_name.values():
        yield "service", service.full_name, "exists", True
        for method in service.methods:
            yield from of_method(method)


def of_message(message: Descriptor) -> Iterator[Fact]:
    yield "message", message.full_name, "exists", True
    yield "message", message.full_name, "is a map entry", message.GetOptions().map_entry
    for field in message.fields:
        yield from of_field(field)
    for oneof in message.oneofs:
        yield "oneof", oneof.full_name, "exists", True
        for field in oneof.fields:
            yield "oneof", oneof.full_name, "member", field.name
    for nested in message.nested_types:
        yield from of_message(nested)
    for enum in message.enum_types:
        yield from of_enum(enum)


def of_field(field: FieldDescriptor) -> Iterator[Fact]:
    name = field.full_name
    yield "field", name, "exists", True
    yield "field", name, "number", field.number
    yield "field", name, "json name", field.json_name
    yield "field", name, "type", type_name(field)
    yield "field", name, "repeated", field.is_repeated
    yield "field", name, "packed", field.is_packed
    yield "field", name, "required", field.is_required
    yield "field", name, "presence", field.has_presence
    yield "field", name, "oneof", field.containing_oneof and field.containing_oneof.name


def type_name(field: FieldDescriptor) -> str:
    named = field.message_type or field.enum_type
    kind = FieldDescriptorProto.Type.Name(field.type)
    return f"{kind} {named.full_name}" if named else kind


def of_enum(enum: EnumDescriptor) -> Iterator[Fact]:
    yield "enum", enum.full_name, "exists", True
    for value in enum.values:
        yield "enum value", f"{enum.full_name}.{value.name}", "exists", True
        yield "enum value", f"{enum.full_name}.{value.name}", "number", value.number


def of_method(method: MethodDescriptor) -> Iterator[Fact]:
    name = method.full_name
    yield "method", name, "exists", True
    yield "method", name, "input", method.input_type.full_name
    yield "method", name, "output", method.output_type.full_name
    yield "method", name, "client streams", method.client_streaming
    yield "method", name, "server streams", method.server_streaming


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
