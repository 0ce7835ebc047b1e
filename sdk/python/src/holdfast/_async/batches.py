"""Batches."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx

from .. import models
from ..base import parse
from ..batches import AddedItems, BatchResult, RejectedItem, line_of
from ..errors import APIConnectionError, HoldfastError
from ..keys import read_key
from ..retries import backoff
from ..sources import is_file_data, open_file
from . import runtime
from .http import Http, chunks_until
from .pages import List

# Of one request: it can be sent again, and the service reports rejected lines when it ends.
_GROUP = 524_288
# A download that fails this often without a further line gives up.
_MAX_FAILURES = 5


@dataclass(frozen=True)
class BatchRun:
    """A batch that was run."""

    batch: models.Batch
    _batches: Batches

    def results(self) -> AsyncGenerator[BatchResult, None]:
        """The items that have ended, those that completed first."""
        return self._batches.results(self.batch.id)


class Batches:
    def __init__(self, http: Http) -> None:
        self._http = http

    async def run(
        self,
        items: runtime.BatchInput,
        *,
        idempotency_key: str | None = None,
        batch_id: str | None = None,
        on_progress: Callable[[models.Batch], object] | None = None,
        on_rejected: Callable[[RejectedItem], object] | None = None,
        poll_interval: float = 2.0,
        **fields: Any,
    ) -> BatchRun:
        """Runs items, waits until all have ended, and returns the batch, whose `results()` can be iterated.

        `items`: dictionaries with `custom_id`, `input` and so on, from a list or an iterator; or a file with one as JSON on
        each line: `Path(path)`, bytes, or a file that is open in binary mode. `fields`: as `CreateBatch` describes them, such
        as `model` and `max_cost`. `on_progress` is called with the batch when it has changed. `on_rejected` is called with
        each item that was not accepted, and the others run; without it, such an item ends the run before anything starts.

        A run that was broken off goes on with the same `idempotency_key`, or the `batch_id` of its batch (`error.batch.id`):
        what it has is neither added nor paid twice. It returns early when the batch has reached its `max_cost`.
        """
        key = read_key(idempotency_key)
        batch: models.Batch | None = None
        try:
            if batch_id is None:
                batch = await self.create(idempotency_key=key, **fields)
            else:
                batch = await self.get(batch_id)
            if batch.status == "open":
                added = await self.add_items(batch.id, items)
                if added.rejected and on_rejected is None:
                    raise _rejected_error(added)
                for one in added.rejected_items:
                    if on_rejected:
                        await runtime.notify(on_rejected, one)
                batch = await self.seal(batch.id)
            reported: Any = None
            while True:
                state = (batch.status, batch.reason, batch.counts, batch.cost)
                if on_progress and state != reported:
                    await runtime.notify(on_progress, batch)
                reported = state
                # One that has reached its max_cost does not go on by itself.
                if batch.ended_at is not None or (batch.status == "paused" and batch.reason == "max_cost"):
                    return BatchRun(batch, self)
                await runtime.sleep(poll_interval)
                batch = await self.get(batch.id)
        except HoldfastError as error:
            error.batch = batch
            error.idempotency_key = key if batch_id is None else None
            raise

    async def create(self, *, idempotency_key: str | None = None, **fields: Any) -> models.Batch:
        """Creates a batch, which takes items until it is sealed; `fields`: as `CreateBatch` describes them. An error carries
        the key."""
        key = read_key(idempotency_key)
        try:
            return await self._http.read(
                models.Batch,
                "POST",
                "/v1/batches",
                body=fields,
                headers={"idempotency-key": key},
                is_repeatable=True,
                expects=("id", "counts"),
            )
        except HoldfastError as error:
            error.idempotency_key = key
            raise

    async def add_items(self, batch_id: str, items: runtime.BatchInput) -> AddedItems:
        """Adds items to an open batch, as `run` does. An item that it has is a duplicate."""
        added, sent = AddedItems(), 0
        async for group in _groups_of(items):

            async def attempt(lines: list[bytes] = group, sent: int = sent) -> None:
                path, content = f"{_path_of(batch_id)}/items", b"\n".join(lines)
                added.add(*await self._http.post(path, content, "application/x-ndjson"), sent)

            await self._http.repeat(attempt, is_repeatable=True)
            sent += len(group)
        return added

    async def get(self, batch_id: str) -> models.Batch:
        return await self._http.read(models.Batch, "GET", _path_of(batch_id), expects=("id", "counts"))

    def list(self, *, status: str | None = None, limit: int | None = None) -> List[models.Batch]:
        """Batches, newest first."""
        return List(self._http, models.Batch.read, "/v1/batches", {"status": status, "limit": limit})

    def items(self, batch_id: str, *, status: str | None = None, limit: int | None = None) -> List[models.BatchItem]:
        query = {"status": status, "limit": limit}
        return List(self._http, models.BatchItem.read, f"{_path_of(batch_id)}/items", query)

    async def results(self, batch_id: str) -> AsyncGenerator[BatchResult, None]:
        """The items that have ended so far, each with its output or its error: those that completed first. A broken download
        goes on behind the last line."""
        batch = await self.get(batch_id)
        for file_id in (batch.output_file_id, batch.error_file_id):
            taken = failures = 0
            while True:
                number = 0
                try:
                    async for line in self._lines_in(file_id):
                        number += 1
                        if number > taken:
                            taken, failures = number, 0
                            yield parse(BatchResult, json.loads(line))
                    break
                except HoldfastError as error:
                    failures += 1
                    if not error.retryable or failures > _MAX_FAILURES:
                        raise
                await runtime.sleep(backoff(failures))

    async def _lines_in(self, file_id: str) -> AsyncGenerator[bytes, None]:
        path, silence = f"/v1/files/{quote(file_id, safe='')}/download", self._http.settings.timeout
        rest = b""
        try:
            async with self._http.open(path, headers={"accept": "*/*"}, silence=silence) as response:
                # Silence is limited, the whole is not: the caller may take long with a line.
                async for chunk in chunks_until(response, float("inf")):
                    *lines, rest = (rest + chunk).split(b"\n")
                    for line in lines:
                        yield line
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise APIConnectionError("The download was cut.", code="CONNECTION_FAILED") from error
        if rest:
            raise APIConnectionError("The file ended within a line.", code="INVALID_RESPONSE")

    async def seal(self, batch_id: str) -> models.Batch:
        """It takes no more items, and its items start."""
        return await self._post(batch_id, "seal")

    async def pause(self, batch_id: str) -> models.Batch:
        return await self._post(batch_id, "pause")

    async def resume(self, batch_id: str, *, max_cost: str | None = None) -> models.Batch:
        """`max_cost` takes the place of the batch's."""
        return await self._post(batch_id, "resume", {} if max_cost is None else {"max_cost": max_cost})

    async def cancel(self, batch_id: str) -> models.Batch:
        """Cancels what waits and what runs; what completed stays, and is charged."""
        return await self._post(batch_id, "cancel")

    async def retry(self, batch_id: str, **filter: Any) -> models.RetriedBatch:
        """Runs items again that did not complete; `filter`: as `RetryBatchFilter` describes it, such as `status=["failed"]`."""
        path = f"{_path_of(batch_id)}/retry"
        return await self._http.read(
            models.RetriedBatch, "POST", path, body={"filter": filter}, is_repeatable=True, expects=("retried",)
        )

    async def erase(self, batch_id: str) -> models.DeletedBatch:
        """Erases the content of a batch that has ended."""
        return await self._http.read(models.DeletedBatch, "DELETE", _path_of(batch_id), expects=("deleted",))

    async def _post(self, batch_id: str, action: str, body: Mapping[str, Any] | None = None) -> models.Batch:
        path = f"{_path_of(batch_id)}/{action}"
        return await self._http.read(
            models.Batch, "POST", path, body=body, is_repeatable=True, expects=("id", "counts")
        )


def _path_of(batch_id: str) -> str:
    return f"/v1/batches/{quote(batch_id, safe='')}"


async def _groups_of(items: runtime.BatchInput) -> AsyncGenerator[Any, None]:
    """Lines, in lists of about half a megabyte."""
    if is_file_data(items):
        opened = await runtime.in_thread(lambda: open_file(items))
        try:
            opened.content.seek(0)
            while found := await runtime.in_thread(lambda: opened.content.readlines(_GROUP)):
                yield [line.rstrip(b"\r\n") for line in found]
        finally:
            opened.close()
        return
    group: list[bytes] = []
    size = 0
    async for item in runtime.each(items):
        line = line_of(item)
        if group and size + len(line) > _GROUP:
            yield group
            group, size = [], 0
        group.append(line)
        size += len(line)
    if group:
        yield group


def _rejected_error(added: AddedItems) -> HoldfastError:
    first = f" Line {added.rejected_items[0].line}: {added.rejected_items[0].message}" if added.rejected_items else ""
    return HoldfastError(
        f"{added.rejected} items were not accepted, and none has started.{first}", code="ITEMS_REJECTED"
    )
