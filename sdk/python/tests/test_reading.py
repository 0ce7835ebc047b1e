from __future__ import annotations

import io
import time
from pathlib import Path
from typing import Any

import pytest
from holdfast import Execution, File, StatusEvent, is_ended
from holdfast.base import parse
from holdfast.progress import event_of
from holdfast.sources import find_files, open_file, replace_files
from holdfast.sse import EventReader, ServerSentEvent


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_events_are_read_however_the_stream_is_cut(size: int):
    text = ': hi\r\nretry: 2000\r\nid: 7\r\nevent: status\r\ndata: {"a":\r\ndata: "é\u2028"}\r\n\r\ndata:x\n\n'.encode()
    reader = EventReader()
    events = [event for at in range(0, len(text), size) for event in reader.feed(text[at : at + size])]
    assert events == [
        ServerSentEvent("status", '{"a":\n"é\u2028"}', "7"),
        ServerSentEvent("message", "x", None),
    ]
    assert reader.retry == 2.0


def test_an_event_takes_time_in_proportion_to_its_length():
    data = b"x" * 8_000_000
    text = b"data: " + data + b"\n\n"
    reader = EventReader()
    started_at = time.monotonic()
    events = [event for at in range(0, len(text), 1000) for event in reader.feed(text[at : at + 1000])]
    assert time.monotonic() - started_at < 5
    assert [len(event.data) for event in events] == [len(data)]


@pytest.mark.parametrize("data", ["", "no json", '{"a":' * 100_000, "[1]", "{}", '{"status": 1}', '{"id": "exec_1"}'])
def test_garbage_in_the_stream_is_no_event(data: str):
    assert event_of(ServerSentEvent("status", data, None)) is None
    assert event_of(ServerSentEvent("of a later version", '{"a": 1}', None)) is None


def test_an_execution_of_a_later_version_is_read():
    data = {"id": "exec_1", "status": "PAUSED", "created_at": {"new": "form"}, "colour": "blue"}
    execution = parse(Execution, data)
    assert (execution.id, execution.status, execution.completed_at) == ("exec_1", "PAUSED", None)
    assert execution.model_extra == {"colour": "blue"}
    assert not is_ended(execution)
    event = event_of(ServerSentEvent("status", '{"id": "exec_1", "status": "ENDED", "completed_at": "now"}', None))
    assert isinstance(event, StatusEvent)
    assert is_ended(event.execution)


class Pipe(io.RawIOBase):
    """Can be read once, and not rewound."""

    def __init__(self, content: bytes) -> None:
        self._content = io.BytesIO(content)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return self._content.read(size)


class Picture:
    """As Pillow's images are."""

    format = None

    def getpixel(self) -> None: ...

    def save(self, target: io.BytesIO, *, format: str) -> None:
        target.write(format.encode())


def test_everything_file_like_in_an_input_is_found_and_replaced(tmp_path: Path):
    path = tmp_path / "a.png"
    path.write_bytes(b"path")
    data: list[Any] = [path, b"bytes", bytearray(b"array"), Pipe(b"pipe"), io.BytesIO(b"stream"), Picture(), File(b"x")]
    given = {"text": "a.png", "n": 1, "nested": {"files": data}}
    found = find_files(given)
    assert [place for place, _ in found] == [f"input.nested.files[{n}]" for n in range(len(data))]
    contents: list[bytes] = []
    for _, file in found:
        opened = open_file(file)
        opened.content.seek(0)
        contents.append(opened.content.read())
        assert opened.size == len(contents[-1])
        opened.close()
    assert contents == [b"path", b"bytes", b"array", b"pipe", b"stream", b"PNG", b"x"]
    ids = {id(file): f"file_{n}" for n, (_, file) in enumerate(found)}
    assert replace_files(given, ids) == {
        "text": "a.png",
        "n": 1,
        "nested": {"files": [f"file_{n}" for n in range(len(data))]},
    }


def test_a_file_opened_as_text_is_refused(tmp_path: Path):
    path = tmp_path / "a.txt"
    path.write_text("x")
    with path.open() as text, pytest.raises(TypeError, match="binary"):
        open_file(text)
