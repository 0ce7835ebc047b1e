"""Waits until an execution has ended: by its event stream where progress is wanted, else by requests that the service
holds. Never by a fixed interval."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from contextlib import suppress
from urllib.parse import quote

from ..base import ApiObject
from ..errors import APIError, HoldfastError, WaitTimeoutError
from ..progress import Execution, ExecutionEvent, OnProgress, ProgressEvent, StatusEvent, event_of, is_ended
from ..retries import backoff, requested_delay
from . import runtime
from .following import MAX_PAUSE, follow
from .http import Http

# Below the 30 s after which many proxies end a request.
_LONG_POLL = 25
# A response that comes this early without a change was not held: the service is busy, or does not know `wait`.
_UNHELD = 1.0
# What the service may take to record that an execution has expired.
_EXPIRY_GRACE = 120.0
_DEFAULT_LIFE = 86_400.0
_MAX_STREAM_FAILURES = 3
_MAX_BACKOFF = 10.0
# A caller who aborts does not wait longer for the cancel.
MAX_CANCEL = 5.0


def path_of(execution_id: str) -> str:
    return f"/v1/executions/{quote(execution_id, safe='')}"


async def cancel_quietly(http: Http, execution_id: str) -> None:
    """For a caller who has another error to report: the execution may have ended in the meantime."""
    with suppress(HoldfastError):
        await http.read(
            ApiObject,
            "POST",
            f"{path_of(execution_id)}/cancel",
            is_repeatable=True,
            expects=("id", "status"),
        )


async def wait_for_end(
    http: Http,
    execution: Execution,
    *,
    is_whole: bool,
    started_at: float,
    timeout: float | None,
    on_progress: OnProgress | None,
    cancel_on_abort: bool,
) -> Execution:
    """`timeout` counts from `started_at`, by `time.monotonic()`. `is_whole` is false for the response to a create, which is
    a part of the record."""
    wait = _Wait(http, execution, started_at, timeout, on_progress)
    try:
        if on_progress and not is_ended(wait.current):
            await wait.follow()
        if is_whole:
            # As the first event of a stream does.
            await wait.update(wait.current)
        await wait.poll()
        return wait.current
    except HoldfastError as error:
        error.execution = error.execution or wait.current
        raise
    except Exception:
        raise
    except BaseException as aborted:
        # The task was cancelled, or Ctrl-C was pressed.
        vars(aborted)["execution"] = wait.current
        if cancel_on_abort:
            await runtime.despite_cancellation(MAX_CANCEL, lambda: cancel_quietly(http, wait.current.id))
        raise


class _Wait:
    def __init__(
        self,
        http: Http,
        execution: Execution,
        started_at: float,
        timeout: float | None,
        on_progress: OnProgress | None,
    ) -> None:
        self._http = http
        self.current = execution
        self._timeout = timeout
        self._started_at = started_at
        self._ends_at = time.monotonic() + _life_of(execution) if timeout is None else started_at + timeout
        self._on_progress: OnProgress = on_progress or (lambda _: None)
        self._reported: str | None = None

    def _remaining(self) -> float:
        return self._ends_at - time.monotonic()

    def _check_time(self) -> None:
        if self._remaining() > 0:
            return
        after = "its expiry" if self._timeout is None else f"{round(time.monotonic() - self._started_at, 1):g} s"
        raise WaitTimeoutError(
            f"The execution {self.current.id} is {self.current.status} after {after}. It runs on: "
            f"client.executions.wait({self.current.id!r}) waits for it again.",
            self.current,
        )

    async def update(self, new: Execution) -> None:
        """Takes a newer record and reports what changed."""
        last, self.current = self.current, new
        if new.status != self._reported:
            await self._report(StatusEvent(new))
        before = (getattr(last, "progress", None), getattr(last, "queue_position", None))
        after = (getattr(new, "progress", None), getattr(new, "queue_position", None))
        if after != before:
            await self._report(ProgressEvent(*after))

    async def _report(self, event: ExecutionEvent) -> None:
        if isinstance(event, StatusEvent):
            self._reported = event.execution.status
        await runtime.notify(self._on_progress, event)

    async def follow(self) -> None:
        """Follows the event stream. Returns early when the stream does not work, for requests that the service holds do,
        and when the time is over."""
        events = follow_events(
            self._http, self.current.id, max_failures=_MAX_STREAM_FAILURES, ends_at=self._ends_at
        )
        try:
            while True:
                try:
                    event = await anext(events, None)
                except HoldfastError as error:
                    if _is_stream_failure(error):
                        return
                    raise
                if event is None:
                    return
                if isinstance(event, StatusEvent):
                    self.current = event.execution
                await self._report(event)
        finally:
            await events.aclose()

    async def poll(self) -> None:
        pauses = 0
        while not is_ended(self.current):
            self._check_time()
            status, started_at = self.current.status, time.monotonic()
            pause = await self._long_poll()
            if self.current.status != status:
                pauses = 0
            elif pause is not None or time.monotonic() - started_at < _UNHELD:
                pauses += 1
                delay = backoff(pauses, _MAX_BACKOFF) if pause is None else pause
                await runtime.sleep(max(0.0, min(delay, self._remaining())))

    async def _long_poll(self) -> float | None:
        """Returns the seconds to pause after a failure, else None."""
        remaining = self._remaining()
        seconds = max(1, int(min(_LONG_POLL, remaining)))
        try:
            new = await self._http.read(
                Execution,
                "GET",
                path_of(self.current.id),
                query={"wait": seconds},
                timeout=min(seconds + self._http.settings.timeout, max(remaining, 1.0)),
                max_retries=0,
                expects=("id", "status"),
            )
        except HoldfastError as error:
            if not error.retryable:
                raise
            self._check_time()
            delay = requested_delay(error)
            return min(backoff(3, _MAX_BACKOFF) if delay is None else delay, MAX_PAUSE)
        await self.update(new)
        return None


def follow_events(
    http: Http, execution_id: str, *, max_failures: float = float("inf"), ends_at: float = float("inf")
) -> AsyncGenerator[ExecutionEvent, None]:
    """The events of an execution until it has ended, across connections that are cut; at most until `ends_at`, by
    `time.monotonic()`."""
    path = f"{path_of(execution_id)}/events"
    return follow(http, path, read=event_of, is_last=_is_end, max_failures=max_failures, ends_at=ends_at)


def _is_end(event: ExecutionEvent) -> bool:
    return isinstance(event, StatusEvent) and is_ended(event.execution)


def _is_stream_failure(error: HoldfastError) -> bool:
    """Older services and limited tokens have no stream, and a key may have only so many: that is no reason to give up."""
    return error.retryable or (isinstance(error, APIError) and error.status in (404, 405, 406, 501))


def _life_of(execution: Execution) -> float:
    """By the server's own times, whose difference does not depend on the clock of this machine."""
    try:
        life = (execution.expires_at - execution.created_at).total_seconds()
    except (TypeError, AttributeError):
        life = 0.0
    return (life if life > 0 else _DEFAULT_LIFE) + _EXPIRY_GRACE
