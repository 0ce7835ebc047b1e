"""What differs in more than words between the asynchronous and the synchronous client."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import IO, TypeVar

T = TypeVar("T")

sleep = time.sleep
CHUNK = 65_536


def in_thread(work: Callable[[], T], *, may_be_abandoned: bool = False) -> T:
    return work()


def chunks_of(content: IO[bytes], on_sent: Callable[[int], object]) -> Iterator[bytes]:
    sent = 0
    while chunk := content.read(CHUNK):
        yield chunk
        sent += len(chunk)
        on_sent(sent)


def for_each(items: Sequence[T], work: Callable[[T], None], limit: int) -> None:
    """Runs `work` for all items, at most `limit` at once. After the first failure no other begins."""
    with ThreadPoolExecutor(limit) as pool:
        pending = [pool.submit(work, item) for item in items]
        try:
            for one in pending:
                one.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def despite_cancellation(work: Callable[[], None]) -> None:
    work()
