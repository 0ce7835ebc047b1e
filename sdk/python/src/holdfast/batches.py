"""Items of a batch on their way in and out."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import httpx

from .base import ApiObject
from .errors import APIConnectionError, error_of


class BatchItemError(ApiObject):
    code: str
    message: str


class BatchResult(ApiObject):
    """An item that has ended: with its `output`, or with its `error`."""

    custom_id: str
    execution_id: str | None = None
    status: str
    model: str
    metadata: dict[str, Any] | None = None
    cost: str | None = None
    output: dict[str, Any] | None = None
    usage: dict[str, Any] | None = None
    finish_reason: str | None = None
    error: BatchItemError | None = None


@dataclass(frozen=True)
class RejectedItem:
    """An item that was not accepted, by its number or line from 1."""

    line: int
    custom_id: str | None
    code: str
    message: str


@dataclass
class AddedItems:
    accepted: int = 0
    duplicates: int = 0
    rejected: int = 0
    rejected_items: list[RejectedItem] = field(default_factory=list[RejectedItem])
    """The first thousand of them."""

    def add(self, response: httpx.Response, content: bytes, sent: int) -> None:
        """Adds what a request has come to, which began behind `sent` lines: rejected lines, then the counts, or the error that
        ended the intake."""
        *lines, last = content.strip().split(b"\n")
        try:
            counts = json.loads(last)
            rejected = [json.loads(line) for line in lines if line.strip()]
            known = (int(counts["accepted"]), int(counts["duplicates"]), int(counts["rejected"]))
        except (ValueError, TypeError, KeyError) as problem:
            if last.startswith(b'{"error"'):
                raise error_of(httpx.Response(500, headers=response.headers), last) from problem
            raise APIConnectionError(
                "The response to the items ended before their counts.",
                code="INVALID_RESPONSE",
                request_id=response.headers.get("x-request-id"),
            ) from problem
        self.accepted += known[0]
        self.duplicates += known[1]
        self.rejected += known[2]
        room = 1000 - len(self.rejected_items)
        for one in rejected[:room]:
            error = one["error"]
            self.rejected_items.append(
                RejectedItem(one["line"] + sent, one["custom_id"], error["code"], error["message"])
            )


def line_of(item: Any) -> bytes:
    return json.dumps(item, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
