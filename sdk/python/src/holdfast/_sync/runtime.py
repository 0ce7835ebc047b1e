"""What differs in more than words between the asynchronous and the synchronous client."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent import futures
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from typing import IO, Any, ParamSpec, TypeVar, Union, cast

import httpx

from ..sources import FileData

T = TypeVar("T")
P = ParamSpec("P")

BatchInput = Union[Iterable[Mapping[str, Any]], FileData]

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


def each(items: BatchInput) -> Iterable[Mapping[str, Any]]:
    return cast("Iterable[Mapping[str, Any]]", items)


def for_each(items: Sequence[T], work: Callable[[T], None], limit: int) -> None:
    """Runs `work` for all items, at most `limit` at once. After the first failure no other begins, and those that have
    begun are not waited for, not even by the end of the process."""
    slots = threading.Semaphore(limit)
    has_failed = threading.Event()

    def run(item: T) -> None:
        try:
            work(item)
        except BaseException:
            has_failed.set()
            raise
        finally:
            slots.release()

    begun: list[futures.Future[None]] = []
    for item in items:
        slots.acquire()
        if has_failed.is_set():
            break
        begun.append(_start(partial(run, item)))
    for one in futures.as_completed(begun):
        one.result()


def respond_within(seconds: float, send: Callable[[], httpx.Response]) -> httpx.Response:
    """Raises TimeoutError if `send` takes longer. A thread cannot be interrupted, so `send` has one of its own, which is
    abandoned and closes a response that comes too late."""
    if seconds == float("inf"):
        return send()
    sending = _start(send)
    try:
        return sending.result(seconds)
    except BaseException as error:
        sending.add_done_callback(_close_response)
        if isinstance(error, futures.TimeoutError):
            # Python 3.10 has two classes of this name.
            raise TimeoutError from error
        raise


def _start(work: Callable[[], T]) -> futures.Future[T]:
    """Runs `work` in a thread that does not keep the process alive."""
    future = futures.Future[T]()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=copy_context().run, args=(run,), daemon=True).start()
    return future


def _close_response(sending: futures.Future[httpx.Response]) -> None:
    if not sending.exception():
        sending.result().close()


def within(seconds: float, work: Callable[[], T], response: httpx.Response) -> T:
    """Raises TimeoutError if `work`, which reads `response`, takes longer: then its connection is shut down."""
    if seconds <= 0:
        raise TimeoutError
    stream = response.extensions.get("network_stream")
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


def despite_cancellation(seconds: float, work: Callable[[], None]) -> None:
    """Does `work`. Returns after `seconds` at the latest, while `work` may continue."""
    with suppress(futures.TimeoutError):
        _start(work).result(seconds)
