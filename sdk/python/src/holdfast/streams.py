"""What a stream shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, Union, cast

from .base import M, parse
from .models import ExecutionError as ErrorRecord
from .models import ExecutionUsage
from .progress import body_of, float_of
from .sse import ServerSentEvent


@dataclass(frozen=True)
class OutputEvent:
    """A piece of the output: text, base64 of audio, or a JSON value. Of images `{"image": id}` for each partial one, and at
    last the whole output."""

    delta: Any
    id: int | None = None
    """`starting_after` can continue after it; None for what is not kept."""
    type: Literal["output"] = "output"


@dataclass(frozen=True)
class StreamProgressEvent:
    progress: float | None
    """From 0 to 1."""
    id: int | None = None
    type: Literal["progress"] = "progress"


@dataclass(frozen=True)
class LogsEvent:
    lines: list[str]
    id: int | None = None
    type: Literal["logs"] = "logs"


@dataclass(frozen=True)
class ResetEvent:
    """The output so far is void. It begins again, with the next attempt if there is a number."""

    attempt: int | None
    id: int | None = None
    type: Literal["reset"] = "reset"


@dataclass(frozen=True)
class DoneEvent:
    status: str
    usage: ExecutionUsage | None
    """None unless it was charged."""
    cost: str | None
    finish_reason: str | None
    """Why the output ended: `stop`, `length`, `budget` and others."""
    error: ErrorRecord | None
    id: int | None = None
    type: Literal["done"] = "done"


StreamEvent = Union[OutputEvent, StreamProgressEvent, LogsEvent, ResetEvent, DoneEvent]


def stream_event_of(sent: ServerSentEvent) -> StreamEvent | None:
    """None for what this version does not know, and for garbage."""
    body = body_of(sent)
    if body is None:
        return None
    id = int(sent.id) if sent.id and sent.id.isascii() and sent.id.isdigit() else None
    if sent.type == "output" and "delta" in body:
        return OutputEvent(body["delta"], id)
    if sent.type == "output" and isinstance(body.get("image"), str):
        return OutputEvent({"image": body["image"]}, id)
    if sent.type == "progress":
        return StreamProgressEvent(float_of(body.get("progress")), id)
    if sent.type == "logs" and isinstance(body.get("lines"), list):
        return LogsEvent([str(line) for line in body["lines"]], id)
    if sent.type == "reset":
        attempt = body.get("attempt")
        return ResetEvent(attempt if isinstance(attempt, int) else None, id)
    if sent.type == "done" and isinstance(body.get("status"), str):
        cost, reason = body.get("cost"), body.get("finish_reason")
        return DoneEvent(
            body["status"],
            _record_of(ExecutionUsage, body.get("usage")),
            cost if isinstance(cost, str) else None,
            reason if isinstance(reason, str) else None,
            _record_of(ErrorRecord, body.get("error")),
            id,
        )
    return None


def _record_of(model: type[M], data: Any) -> M | None:
    return parse(model, cast("dict[str, Any]", data)) if isinstance(data, dict) else None


class OutputJoiner:
    """Once the events of a stream are gone, the service sends a reset without an id and the whole output. Where that begins
    with the text that was read, only the rest is new."""

    def __init__(self, *, from_beginning: bool) -> None:
        self._text: list[str] | None = [] if from_beginning else None
        """None where the text so far is unknown, or the output is not text."""
        self._held: ResetEvent | None = None

    def feed(self, event: StreamEvent) -> Iterator[StreamEvent]:
        if isinstance(event, ResetEvent):
            if event.id is None:
                self._held = event
                return
            self._text = []
        if not isinstance(event, OutputEvent):
            if isinstance(event, DoneEvent) and self._held:
                yield self._held
            yield event
            return
        held, self._held = self._held, None
        known = None if self._text is None else "".join(self._text) if held else ""
        if held and known is not None and isinstance(event.delta, str) and event.delta.startswith(known):
            rest = event.delta[len(known) :]
            self._text = [event.delta]
            if rest:
                yield replace(event, delta=rest)
            return
        if held:
            self._text = []
            yield held
        if not isinstance(event.delta, str):
            self._text = None
        if self._text is not None:
            self._text.append(event.delta)
        yield event
