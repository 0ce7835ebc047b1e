"""Follows the events of an execution across connections that are cut."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable
from typing import TypeVar

import httpx

from ..errors import APIConnectionError, HoldfastError
from ..retries import backoff, requested_delay
from ..sse import EventReader, ServerSentEvent
from . import runtime
from .http import Http, Query, chunks_until

E = TypeVar("E")

# Connections in a row that do not become a stream: about a minute.
_MAX_UNOPENED = 12
# The service is asked again after this long at the latest, whatever a proxy requests.
MAX_PAUSE = 60.0
# The server sends a comment every 15 s: a stream that is silent for longer is broken.
_SILENCE = 40.0
# A proxy that buffers would let a stream look silent from the beginning.
_FIRST_BYTES = 15.0


async def follow(
    http: Http,
    path: str,
    *,
    query: Query | None = None,
    read: Callable[[ServerSentEvent], E | None],
    is_last: Callable[[E], bool],
    last_id: str | None = None,
    max_failures: float = float("inf"),
    ends_at: float = float("inf"),
) -> AsyncGenerator[E, None]:
    """The events of a path after `last_id`, each once, until the last one; at most until `ends_at`, by `time.monotonic()`.
    `read` returns None for what is no event of this version."""
    failures = unopened = 0
    while time.monotonic() < ends_at:
        reader = EventReader()
        failures += 1
        unopened += 1
        delay = backoff(failures)
        try:
            headers = {"accept": "text/event-stream", **({"last-event-id": last_id} if last_id else {})}
            first_bytes = min(_FIRST_BYTES, ends_at - time.monotonic())
            async with http.open(
                path, query=query, headers=headers, timeout=first_bytes, silence=_SILENCE
            ) as response:
                if response.status_code == 204:
                    return
                kind = response.headers.get("content-type", "")
                if not kind.lower().startswith("text/event-stream"):
                    raise _broken(f'The event stream has the type "{kind}".')
                unopened = 0
                try:
                    async for chunk in chunks_until(response, ends_at):
                        for sent in reader.feed(chunk):
                            last_id = sent.id or last_id
                            event = read(sent)
                            if event is None:
                                continue
                            failures = 0
                            yield event
                            if is_last(event):
                                return
                except TimeoutError:
                    return
                except (httpx.TransportError, httpx.DecodingError) as error:
                    raise _broken("The event stream was cut.") from error
            if failures >= max_failures:
                raise _broken("The event stream ended before the execution.")
        except HoldfastError as error:
            if not error.retryable or failures >= max_failures or unopened >= _MAX_UNOPENED:
                raise
            requested = requested_delay(error)
            delay = backoff(max(1, failures)) if requested is None else requested
        delay = min(max(delay, reader.retry or 0), MAX_PAUSE)
        if time.monotonic() + delay > ends_at:
            return
        await runtime.sleep(delay)


def _broken(message: str) -> APIConnectionError:
    return APIConnectionError(message, code="STREAM_BROKEN")
