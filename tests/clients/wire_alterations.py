"""Shows that wire_equality.py sees a difference of any kind.

    python wire_alterations.py descriptors.bin

Each alteration is made to a copy of our descriptors, wherever it can be made; all
must be found different from the official ones.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    MethodDescriptorProto,
)
from google.protobuf.message import Message

from wire_equality import OFFICIAL, PACKAGE, facts, our_files

EMPTY = ".google.protobuf.Empty"
UNUSED_NUMBER = 1999

# One alteration: what it is, with the descriptors that hold it.
Altered = tuple[str, FileDescriptorSet]


def main(path: str) -> int:
    ours = FileDescriptorSet.FromString(Path(path).read_bytes())
    official = facts([OFFICIAL])
    seen = unseen = 0
    for what, altered in alterations(ours):
        if facts(our_files(altered.SerializeToString())) == official:
            print(f"not seen: {what}")
            unseen += 1
        seen += 1
    print(f"{seen - unseen} of {seen} alterations seen")
    return int(unseen > 0 or seen == 0)


def alterations(original: FileDescriptorSet) -> Iterator[Altered]:
    """Alters one thing at a time, and puts it back."""
    altered = FileDescriptorSet()
    altered.CopyFrom(original)
    for file in altered.file:
        if file.package == PACKAGE:
            for what in alter_file(file):
                yield what, altered
    assert altered == original, "an alteration was not undone"


def alter_file(file: FileDescriptorProto) -> Iterator[str]:
    yield from with_one_more(file.message_type, DescriptorProto(name="Extra"))
    yield from with_one_more(file.enum_type, extra_enum())
    for message in file.message_type:
        yield from alter_message(message)
    for enum in file.enum_type:
        for value in enum.value:
            yield from with_value(value, "name", f"{value.name}_X")
            if value.number != 0:
                yield from with_value(value, "number", UNUSED_NUMBER)
    for service in file.service:
        yield from with_value(service, "name", f"{service.name}X")
        for method in service.method:
            yield from alter_method(method)
        yield from with_one_more(
            service.method,
            MethodDescriptorProto(name="Extra", input_type=EMPTY, output_type=EMPTY),
        )


def alter_message(message: DescriptorProto) -> Iterator[str]:
    if message.options.map_entry:
        return
    extra = FieldDescriptorProto(
        name="extra", number=UNUSED_NUMBER, type="TYPE_STRING", label="LABEL_OPTIONAL"
    )
    yield from with_one_more(message.field, extra)
    for field in message.field:
        yield from alter_field(field)
    for oneof in message.oneof_decl:
        yield from with_value(oneof, "name", f"{oneof.name}_x")
    for nested in message.nested_type:
        yield from alter_message(nested)


def alter_field(field: FieldDescriptorProto) -> Iterator[str]:
    yield from with_value(field, "number", UNUSED_NUMBER)
    yield from with_value(field, "json_name", f"{field.json_name}X")
    if not field.HasField("type_name"):
        yield from with_value(field, "name", f"{field.name}_x")
        yield from with_value(field, "type", FieldDescriptorProto.TYPE_FIXED64)
        if not field.HasField("oneof_index"):
            yield from with_value(field, "label", other_label(field))
    if field.HasField("oneof_index") and not field.proto3_optional:
        yield from without(field, "oneof_index")


def alter_method(method: MethodDescriptorProto) -> Iterator[str]:
    yield from with_value(method, "name", f"{method.name}X")
    yield from with_value(method, "input_type", ".google.protobuf.Struct")
    yield from with_value(method, "output_type", ".google.protobuf.Struct")
    yield from with_value(method, "server_streaming", not method.server_streaming)
    yield from with_value(method, "client_streaming", not method.client_streaming)


def with_value(thing: Message, name: str, value: object) -> Iterator[str]:
    before = type(thing)()
    before.CopyFrom(thing)
    setattr(thing, name, value)
    yield f"{type(thing).__name__} {before.name}: {name} = {value!r}"
    thing.CopyFrom(before)


def without(thing: Message, name: str) -> Iterator[str]:
    before = type(thing)()
    before.CopyFrom(thing)
    thing.ClearField(name)
    yield f"{type(thing).__name__} {before.name}: no {name}"
    thing.CopyFrom(before)


def with_one_more(things: list, extra: Message) -> Iterator[str]:
    things.append(extra)
    yield f"one more {type(extra).__name__}"
    del things[-1]


def other_label(field: FieldDescriptorProto) -> int:
    if field.label == FieldDescriptorProto.LABEL_REPEATED:
        return FieldDescriptorProto.LABEL_OPTIONAL
    return FieldDescriptorProto.LABEL_REPEATED


def extra_enum() -> EnumDescriptorProto:
    enum = EnumDescriptorProto(name="ExtraEnum")
    enum.value.add(name="EXTRA_ENUM_UNSPECIFIED", number=0)
    return enum


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
