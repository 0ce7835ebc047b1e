"""Lists, read page by page as they are iterated."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from ..base import ApiObject
from .http import Http, Query

M = TypeVar("M")


class _Body(ApiObject):
    has_more: bool | None = None
    next_cursor: str | None = None


@dataclass(frozen=True)
class Page(Generic[M]):
    items: list[M]
    next_cursor: str | None
    """None: this is the last page."""


class List(Generic[M]):
    """Iterate it for its items; more pages are read as they are needed."""

    def __init__(
        self, http: Http, read: Callable[[dict[str, Any]], M], path: str, query: Query | None = None, *, field: str = "data"
    ) -> None:
        self._http = http
        self._read = read
        self._path = path
        self._query = query or {}
        self._field = field

    async def page(self, cursor: str | None = None) -> Page[M]:
        """One page: the first, or the one at a cursor."""
        query = {**self._query, "cursor": cursor}
        body = await self._http.read(_Body, "GET", self._path, query=query, expects=(), rows=self._field)
        rows = cast("list[dict[str, Any]]", (body.model_extra or {})[self._field])
        return Page([self._read(row) for row in rows], body.next_cursor if body.has_more else None)

    async def __aiter__(self) -> AsyncIterator[M]:
        cursor: str | None = None
        while True:
            page = await self.page(cursor)
            for item in page.items:
                yield item
            # A cursor that leads to itself would be read for ever.
            if page.next_cursor is None or page.next_cursor == cursor:
                return
            cursor = page.next_cursor
