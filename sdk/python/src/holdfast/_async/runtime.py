"""What differs in more than words between the asynchronous and the synchronous client."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from inspect import isawaitable
from typing import IO, Any, ParamSpec, TypeVar, Union, cast

import anyio
import anyio.to_thread
import httpx

from ..sources import FileData

T = TypeVar("T")
P = ParamSpec("P")

BatchInput = Union[Iterable[Mapping[str, Any]], AsyncIterable[Mapping[str, Any]], FileData]

sleep = anyio.sleep
CHUNK = 65_536


async def in_thread(work: Callable[[], T], *, may_be_abandoned: bool = False) -> T:
    """Runs what would block. `may_be_abandoned`: if the task is cancelled, it is not waited for."""
    return await anyio.to_thread.run_sync(work, abandon_on_cancel=may_be_abandoned)


async def notify(callback: Callable[P, object], *args: P.args, **named: P.kwargs) -> None:
    """Calls a callback of the caller, and waits for it if it is asynchronous."""
    result = callback(*args, **named)
    if isawaitable(result):
        await result


async def chunks_of(content: IO[bytes], on_sent: Callable[[int], Awaitable[None]]) -> AsyncIterator[bytes]:
    sent = 0
    while chunk := await in_thread(lambda: content.read(CHUNK)):
        yield chunk
        sent += len(chunk)
        await on_sent(sent)


async def each(items: BatchInput) -> AsyncIterator[Mapping[str, Any]]:
    if isinstance(items, AsyncIterable):
        async for item in items:
            yield item
        return
    for item in cast("Iterable[Mapping[str, Any]]", items):
        yield item


async def for_each(items: Sequence[T], work: Callable[[T], Awaitable[None]], limit: int) -> None:
    """Runs `work` for all items, at most `limit` at once. The first failure ends the others."""
    slots = anyio.Semaphore(limit)
    failures: list[Exception] = []

    async def run(item: T) -> None:
        async with slots:
            try:
                await work(item)
            except Exception as error:
                failures.append(error)
                group.cancel_scope.cancel()

    async with anyio.create_task_group() as group:
        for item in items:
            group.start_soon(run, item)
    # Not as a group of exceptions: callers catch HoldfastError.
    if failures:
        raise failures[0]


async def respond_within(seconds: float, send: Callable[[], Awaitable[httpx.Response]]) -> httpx.Response:
    """Raises TimeoutError if `send` takes longer."""
    with anyio.fail_after(seconds):
        return await send()


async def within(seconds: float, work: Callable[[], Awaitable[T]], response: httpx.Response) -> T:
    """Raises TimeoutError if `work`, which reads `response`, takes longer."""
    with anyio.fail_after(seconds):
        return await work()


async def despite_cancellation(seconds: float, work: Callable[[], Awaitable[None]]) -> None:
    """Does `work` even if this task was cancelled. Returns after `seconds` at the latest."""
    with anyio.move_on_after(seconds, shield=True):
        await work()
