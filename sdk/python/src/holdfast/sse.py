"""Reads `text/event-stream` as the HTML standard describes it."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass
class ServerSentEvent:
    type: str
    data: str
    id: str | None


@dataclass
class EventReader:
    """Fed with the bytes of a stream, returns the events that are complete."""

    retry: float | None = None
    """Seconds after which the server wants a reconnection."""
    _line: list[str] = field(default_factory=lambda: list[str]())
    _held: str = ""
    _type: str = ""
    _data: list[str] = field(default_factory=lambda: list[str]())
    _id: str | None = None
    _decoder: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8")("replace")
    )

    def feed(self, chunk: bytes) -> Iterator[ServerSentEvent]:
        text = self._held + self._decoder.decode(chunk)
        # A lone CR at the end may be the first half of a CR LF.
        self._held = "\r" if text.endswith("\r") else ""
        # Only what is new is searched and copied: a line may be megabytes long.
        rest, *starts = _LINE_END.split(text[: len(text) - len(self._held)])
        self._line.append(rest)
        for start in starts:
            event = self._read("".join(self._line))
            self._line = [start]
            if event:
                yield event

    def _read(self, line: str) -> ServerSentEvent | None:
        if line == "":
            event = ServerSentEvent(self._type or "message", "\n".join(self._data), self._id) if self._data else None
            self._type, self._data, self._id = "", [], None
            return event
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._type = value
        elif name == "data":
            self._data.append(value)
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name == "retry" and re.fullmatch(r"[0-9]{1,9}", value):
            self.retry = int(value) / 1000
        return None
