"""Requests about many executions."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, TypeVar

from .. import models
from ..errors import HoldfastError
from .http import Http

M = TypeVar("M", models.BulkCancelled, models.BulkRerunResult)


async def all_parts(
    http: Http, model: type[M], path: str, body: Mapping[str, Any], *, idempotency_key: str | None = None
) -> M:
    """Sends a request that does a part each time until nothing is left, and adds the parts up to one response. Each part can
    be sent again. An error carries the key, by which the rest is done as if nothing had happened."""
    # The caller may change the objects before the last part is sent.
    asked = copy.deepcopy(dict(body))
    headers = {} if idempotency_key is None else {"idempotency-key": idempotency_key}
    total: M | None = None
    cursor: str | None = None
    try:
        while True:
            part = await http.read(
                model,
                "POST",
                path,
                body=asked if cursor is None else {**asked, "cursor": cursor},
                headers=headers,
                is_repeatable=True,
                expects=("matched",),
            )
            total = part if total is None else _added(total, part)
            following = part.next_cursor if part.has_more else None
            # A cursor that leads to itself would be read for ever.
            if following is None or following == cursor:
                return total.model_copy(update={"has_more": False, "next_cursor": None})
            cursor = following
    except HoldfastError as error:
        error.idempotency_key = idempotency_key
        raise


def _added(total: M, part: M) -> M:
    """Counts are added, lists joined."""
    sums = {name: getattr(total, name) + value for name, value in part if type(value) in (int, list)}
    return part.model_copy(update=sums)
