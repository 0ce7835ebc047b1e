"""What is reported while an execution runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Union, cast

from .base import parse
from .models import Execution
from .sse import ServerSentEvent

FINAL_STATUSES = ("COMPLETED", "FAILED", "CANCELLED", "EXPIRED")


def is_ended(execution: Execution) -> bool:
    """Whether an execution has a final status, also one that this version does not know."""
    return execution.status in FINAL_STATUSES or getattr(execution, "completed_at", None) is not None


@dataclass(frozen=True)
class StatusEvent:
    execution: Execution
    type: Literal["status"] = "status"


@dataclass(frozen=True)
class ProgressEvent:
    progress: float | None
    """From 0 to 1."""
    queue_position: int | None
    type: Literal["progress"] = "progress"


@dataclass(frozen=True)
class LogEvent:
    lines: list[str]
    type: Literal["log"] = "log"


@dataclass(frozen=True)
class UploadEvent:
    field: str
    """The place of the file in the input, such as `input.source_image`."""
    sent_bytes: int
    total_bytes: int
    type: Literal["upload"] = "upload"


ExecutionEvent = Union[StatusEvent, ProgressEvent, LogEvent]
AnyProgress = Union[UploadEvent, ExecutionEvent]
OnProgress = Callable[[AnyProgress], object]
"""The asynchronous client waits for an asynchronous callback. What a callback raises ends the call."""


def event_of(event: ServerSentEvent) -> ExecutionEvent | None:
    """None for what this version does not know, and for garbage."""
    body = body_of(event)
    if body is None:
        return None
    if event.type == "status" and isinstance(body.get("status"), str) and isinstance(body.get("id"), str):
        return StatusEvent(parse(Execution, body))
    if event.type == "progress":
        position = body.get("queue_position")
        return ProgressEvent(float_of(body.get("progress")), position if isinstance(position, int) else None)
    lines = body.get("lines")
    if event.type == "log" and isinstance(lines, list):
        return LogEvent([str(line) for line in cast("list[object]", lines)])
    return None


def body_of(event: ServerSentEvent) -> dict[str, Any] | None:
    """The JSON object of an event; None for garbage."""
    try:
        parsed: Any = json.loads(event.data)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else None


def float_of(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None
