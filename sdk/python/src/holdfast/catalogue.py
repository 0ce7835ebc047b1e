"""Writes a module with the types of the models of one Holdfast, so that a type checker knows their inputs and outputs."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from .models import Model

_Schema = Mapping[str, Any]

_HEADER = '''# pyright: reportIncompatibleMethodOverride=false, reportNoOverloadImplementation=false
# mypy: disable-error-code="override, misc, no-overload-impl"
"""The models of {url}. Written by `holdfast-sdk types`: do not edit."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import IO, TYPE_CHECKING, Any, Literal, TypedDict, overload

import holdfast
from typing_extensions import NotRequired

FileInput = str | holdfast.File | os.PathLike[str] | bytes | IO[bytes]
"""The id of an uploaded file, or a file to upload."""
'''

_METHOD = '''
        @overload
        {keyword}def {name}(self, model: Literal[{slug}], input: {input}, {options}) -> holdfast.{result}[{output}]: ...
'''

_CREATE_OPTIONS = (
    "idempotency_key: str | None = None, webhook_url: str | None = None, metadata: Mapping[str, Any] | None = None, "
    "priority: str | None = None, timeout_seconds: int | None = None"
)
_OPTIONS = {
    "run": f"*, timeout: float | None = None, on_progress: Any = None, cancel_on_abort: bool = False, {_CREATE_OPTIONS}",
    "stream": f"*, cancel_on_disconnect: bool = False, {_CREATE_OPTIONS}",
}


def module_of(models: Iterable[Model], url: str) -> str:
    """The text of the module."""
    writer = _Writer()
    rows: list[_Row] = []
    for model in models:
        name = _class_name(model.slug)
        outputs = getattr(model, "output_schema", None) or {"type": "object"}
        input_type = writer.type_of(model.input_schema, f"{name}Input", is_input=True)
        sync, asynchronous = (
            writer.type_of(outputs, f"{name}{prefix}Output", file=f"holdfast.{prefix}OutputFile")
            for prefix in ("", "Async")
        )
        does_stream = bool(getattr(model, "stream", None))
        rows.append(_Row(model.slug, input_type, sync, asynchronous, does_stream))
    return "\n".join([_HEADER.format(url=url), *writer.classes, *_clients(rows)])


class _Row(NamedTuple):
    slug: str
    input: str
    sync_output: str
    async_output: str
    does_stream: bool


def _clients(rows: Sequence[_Row]) -> list[str]:
    streaming = [row for row in rows if row.does_stream]
    parts: list[str] = []
    for prefix, keyword_ in (("", ""), ("Async", "async ")):
        methods = _methods("run", "Run", prefix, keyword_, rows) + _methods("stream", "Stream", prefix, "", streaming)
        body = f"    if TYPE_CHECKING:\n{methods}" if rows else "    pass\n"
        parts.append(f"\nclass {prefix}Holdfast(holdfast.{prefix}Holdfast):\n{body}")
    return parts


def _methods(name: str, result: str, prefix: str, keyword_: str, rows: Sequence[_Row]) -> str:
    methods = "".join(
        _METHOD.format(
            keyword=keyword_,
            name=name,
            slug=repr(row.slug),
            input=row.input,
            options=_OPTIONS[name],
            result=prefix + result,
            output=row.async_output if prefix else row.sync_output,
        )
        for row in rows
    )
    # One overload alone is an error to type checkers.
    return methods.replace("        @overload\n", "") if len(rows) == 1 else methods


class _Writer:
    def __init__(self) -> None:
        self.classes: list[str] = []
        # Those of the module itself.
        self._names = {"FileInput", "Holdfast", "AsyncHoldfast", "Any", "IO", "Literal", "Mapping", "TypedDict", "NotRequired"}

    def type_of(self, schema: Any, name: str, *, is_input: bool = False, file: str = "str") -> str:
        """The type of what a schema accepts. What it does not understand is `Any`, which rejects nothing."""
        if not isinstance(schema, dict):
            return "Any"
        schema = cast("_Schema", schema)
        if "const" in schema or "enum" in schema:
            values: list[Any] = [schema["const"]] if "const" in schema else list(schema["enum"])
            return _literal(values)
        for union in ("anyOf", "oneOf"):
            options: Any = schema.get(union)
            if isinstance(options, list) and "properties" not in schema:
                parts = [
                    self.type_of(one, f"{name}{n}", is_input=is_input, file=file)
                    for n, one in enumerate(cast("list[Any]", options), 1)
                ]
                return _union(parts)
        if "$ref" in schema or "allOf" in schema:
            return "Any"
        kinds: Any = schema.get("type")
        if isinstance(kinds, list):
            each = cast("list[Any]", kinds)
            return _union([self.type_of({**schema, "type": kind}, name, is_input=is_input, file=file) for kind in each])
        return self._single(schema, kinds, name, is_input, file)

    def _single(self, schema: _Schema, kind: Any, name: str, is_input: bool, file: str) -> str:
        if kind == "string":
            return "FileInput" if is_input and schema.get("format") == "file" else "str"
        if kind == "array":
            item = self.type_of(schema.get("items"), f"{name}Item", is_input=is_input, file=file)
            return f"list[{item}]"
        if kind == "object" or (kind is None and "properties" in schema):
            return self._object(schema, name, is_input, file)
        return {"integer": "int", "number": "float", "boolean": "bool", "null": "None"}.get(str(kind), "Any")

    def _object(self, schema: _Schema, name: str, is_input: bool, file: str) -> str:
        found: Any = schema.get("properties") or {}
        properties = {str(one): cast("_Schema", part) for one, part in found.items() if isinstance(part, dict)}
        if not properties:
            return "dict[str, Any]"
        # A file in an output is an object of the library.
        if not is_input and (properties.get("file_id") or {}).get("format") == "file":
            return file
        required = set(schema.get("required") or [])
        if not all(_is_name(one) for one in properties):
            return "dict[str, Any]"
        unique = self._unique(name)
        lines = [f"\nclass {unique}(TypedDict):"]
        for one, part in properties.items():
            kind = self.type_of(part, f"{unique}{_class_name(one)}", is_input=is_input, file=file)
            lines.append(f"    {one}: {kind if one in required else f'NotRequired[{kind}]'}")
            description = part.get("description")
            if isinstance(description, str):
                lines.append(f"    {_docstring(description)}")
        self.classes.append("\n".join(lines) + "\n")
        return unique

    def _unique(self, name: str) -> str:
        n, unique = 1, name
        while unique in self._names:
            n += 1
            unique = f"{name}{n}"
        self._names.add(unique)
        return unique


def _union(parts: Sequence[str]) -> str:
    return "Any" if "Any" in parts else " | ".join(dict.fromkeys(parts))


def _literal(values: Sequence[Any]) -> str:
    if not values or not all(one is None or isinstance(one, (str, int, bool)) for one in values):
        return "Any"
    # repr escapes: nothing of a schema can become code.
    return f"Literal[{', '.join(repr(one) for one in values)}]"


def _docstring(text: str) -> str:
    return repr(" ".join(text.split()))


def _is_name(name: str) -> bool:
    return re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) is not None and not keyword.iskeyword(name)


def _class_name(text: str) -> str:
    words = re.findall(r"[A-Za-z0-9]+", text)
    name = "".join(word[:1].upper() + word[1:] for word in words)
    return name if name[:1].isalpha() else f"Model{name}"
