"""What differs in more than words between the asynchronous and the synchronous client."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from typing import IO, ParamSpec, TypeVar

import httpx

T = TypeVar("T")
P = ParamSpec("P")

sleep = time.sleep
CHUNK = 65_536


def in_thread(work: Callable[[], T], *, may_be_abandoned: bool = False) -> T:
    return work()


def notify(callback: Callable[P, object], *args: P.args, **named: P.kwargs) -> None:
    callback(*args, **named)


def chunks_of(content: IO[bytes], on_sent: Callable[[int], object]) -> Iterator[bytes]:
    sent = 0
    while chunk := content.read(CHUNK):
        yield chunk
        sent += len(chunk)
        on_sent(sent)


def for_each(items: Sequence[T], work: Callable[[T], None], limit: int) -> None:
    """Runs `work` for all items, at most `limit` at once. After the first failure no other begins, and those that have
    begun are not waited for."""
    pool = ThreadPoolExecutor(limit)
    try:
        for one in as_completed([pool.submit(work, item) for item in items]):
            one.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def within(seconds: float, work: Callable[[], T], response: httpx.Response | None = None) -> T:
    """Raises TimeoutError if `work` takes longer, which reads `response`. A thread cannot be interrupted, but the connection
    that it reads can be shut down; without a response, the timeouts of the connection have to do."""
    if seconds <= 0:
        raise TimeoutError
    stream = response.extensions.get("network_stream") if response else None
    connection: socket.socket | None = stream.get_extra_info("socket") if stream else None
    if connection is None or seconds == float("inf"):
        return work()
    is_late = threading.Event()

    def end() -> None:
        is_late.set()
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        result = work()
    except Exception as error:
        if is_late.is_set():
            raise TimeoutError from error
        raise
    finally:
        timer.cancel()
    # A body without a length ends with its connection, as if it were complete.
    if is_late.is_set():
        raise TimeoutError
    return result


def despite_cancellation(work: Callable[[], None]) -> None:
    work()
