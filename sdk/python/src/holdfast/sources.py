"""Files on their way into an input."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Union, cast

@dataclass(frozen=True, eq=False)
class File:
    """A file to upload, with a name and type of your choice."""

    data: Any
    filename: str | None = None
    content_type: str | None = None


FileData = Union[File, "os.PathLike[str]", bytes, bytearray, memoryview, IO[bytes]]
"""Bytes, wherever they are; a PIL image is taken, too. A text is no source: a path is `Path(path)`, so that no input can
name a file of yours."""


@dataclass
class OpenFile:
    """A file that can be read from its start as often as needed."""

    content: IO[bytes]
    size: int
    filename: str | None
    content_type: str | None
    is_ours: bool

    def close(self) -> None:
        if self.is_ours:
            self.content.close()


def is_file_data(value: object) -> bool:
    if isinstance(value, (File, os.PathLike, bytes, bytearray, memoryview)):
        return True
    return _is_image(value) or callable(getattr(value, "read", None))


def open_file(data: object) -> OpenFile:
    """Raises OSError if the file cannot be read."""
    if isinstance(data, File):
        opened = open_file(data.data)
        opened.filename = data.filename or opened.filename
        opened.content_type = data.content_type or opened.content_type
        return opened
    if isinstance(data, os.PathLike):
        path = Path(cast("os.PathLike[str]", data))
        content = path.open("rb")
        return OpenFile(content, os.fstat(content.fileno()).st_size, path.name, None, True)
    if isinstance(data, (bytes, bytearray, memoryview)):
        content = io.BytesIO(cast("bytes", data))
        return OpenFile(content, content.seek(0, io.SEEK_END), None, None, True)
    if _is_image(data):
        image: Any = data
        kind = image.format if image.format in ("PNG", "JPEG", "WEBP") else "PNG"
        content = io.BytesIO()
        image.save(content, format=kind)
        return OpenFile(content, content.tell(), f"image.{kind.lower()}", f"image/{kind.lower()}", True)
    return _open_stream(cast("IO[bytes]", data))


def _open_stream(stream: IO[bytes]) -> OpenFile:
    name = getattr(stream, "name", None)
    filename = os.path.basename(name) if isinstance(name, str) else None
    if isinstance(stream, io.TextIOBase):
        raise TypeError('A file of an input is opened in binary mode: open(path, "rb").')
    # An upload may have to be repeated, and its size must be known: what cannot be rewound is copied. What was read
    # already is not sent.
    content = tempfile.SpooledTemporaryFile[bytes](max_size=8 * 1024 * 1024)
    shutil.copyfileobj(stream, content)
    return OpenFile(cast("IO[bytes]", content), content.tell(), filename, None, True)


def _is_image(value: object) -> bool:
    """An image of Pillow, which need not be installed."""
    return callable(getattr(value, "save", None)) and hasattr(value, "format") and hasattr(value, "getpixel")


def find_files(value: object, place: str = "input") -> list[tuple[str, object]]:
    """Every file in an input with its place in it."""
    if is_file_data(value):
        return [(place, value)]
    if isinstance(value, Mapping):
        entries = [(f"{place}.{name}", item) for name, item in cast("Mapping[str, object]", value).items()]
    elif isinstance(value, Sequence) and not isinstance(value, str):
        entries = [(f"{place}[{n}]", item) for n, item in enumerate(cast("Sequence[object]", value))]
    else:
        return []
    return [found for name, item in entries for found in find_files(item, name)]


def replace_files(value: Any, ids: Mapping[int, object]) -> Any:
    """A copy of an input with the id of its upload, or what else is given, in place of each file; `ids` are by `id(file)`."""
    if is_file_data(value):
        return ids[id(value)]
    if isinstance(value, Mapping):
        return {name: replace_files(item, ids) for name, item in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [replace_files(item, ids) for item in cast("Sequence[Any]", value)]
    return value
