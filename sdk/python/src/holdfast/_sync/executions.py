# Generated from _async/executions.py by tools/generate.py.
"""Executions."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping
from typing import Any

from .. import models
from ..errors import HoldfastError
from ..keys import read_key
from ..progress import Execution, ExecutionEvent, OnProgress
from . import runtime
from .bulk import all_parts
from .http import Http
from .pages import List
from .streams import Stream, Streamed
from .waiting import MAX_CANCEL, cancel_quietly, follow_events, path_of, wait_for_end

_MIN_READ = 5.0


class Executions:
    def __init__(self, http: Http) -> None:
        self._http = http

    def create(
        self,
        model: str,
        input: Mapping[str, Any],
        *,
        idempotency_key: str | None = None,
        webhook_url: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        priority: str | None = None,
        timeout_seconds: int | None = None,
        stream: bool | None = None,
    ) -> models.CreatedExecution:
        """Creates an execution and returns at once. However often the request is repeated, it has the same idempotency
        key; an error carries that key. `stream`: its output can be read while it is made. The other arguments are those of
        `Holdfast.run`."""
        key = read_key(idempotency_key)
        given = {
            "webhook_url": webhook_url,
            "metadata": metadata,
            "priority": priority,
            "timeout_seconds": timeout_seconds,
            "stream": stream,
        }
        body = {"model": model, "input": input} | {name: one for name, one in given.items() if one is not None}
        try:
            return self._http.read(
                models.CreatedExecution,
                "POST",
                "/v1/executions",
                body=body,
                headers={"idempotency-key": key},
                is_repeatable=True,
                # Anything else did not come from the service, and the execution may exist: ask again.
                expects=("id",),
            )
        except HoldfastError as error:
            error.idempotency_key = key
            raise

    def get(self, execution_id: str, *, wait: int | None = None) -> Execution:
        """Reads an execution. `wait`: up to so many seconds (60), until its status changes."""
        return self._read(execution_id, self._http.settings.timeout + (wait or 0), wait=wait)

    def _read(
        self, execution_id: str, timeout: float, *, wait: int | None = None, deadline: float = float("inf")
    ) -> Execution:
        return self._http.read(
            Execution,
            "GET",
            path_of(execution_id),
            query={"wait": wait},
            timeout=timeout,
            deadline=deadline,
            expects=("id", "status"),
        )

    def list(
        self,
        *,
        status: str | None = None,
        model: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        metadata_name: str | None = None,
        metadata_value: str | None = None,
        limit: int | None = None,
    ) -> List[models.Execution]:
        """Executions, newest first. `metadata_name` and `metadata_value`: only those whose metadata has this member, with this
        value as text. `limit`: items per request, 1 to 100."""
        query = {
            "status": status,
            "model": model,
            "created_after": created_after,
            "created_before": created_before,
            "metadata_name": metadata_name,
            "metadata_value": metadata_value,
            "limit": limit,
        }
        return List(self._http, models.Execution.read, "/v1/executions", query)

    def input(self, execution_id: str) -> models.ExecutionInput:
        """The input, with the defaults of the model, until the execution is erased."""
        return self._http.read(
            models.ExecutionInput, "GET", f"{path_of(execution_id)}/input", expects=("execution_id",)
        )

    def result(self, execution_id: str) -> models.ExecutionResult:
        """The output, usage and cost of a completed execution."""
        return self._http.read(
            models.ExecutionResult, "GET", f"{path_of(execution_id)}/result", expects=("execution_id",)
        )

    def cancel(self, execution_id: str) -> models.Execution:
        """Cancels an open execution. It costs nothing, unless its model charges what its stream has shown (`on_cancel`)."""
        path = f"{path_of(execution_id)}/cancel"
        return self._http.read(models.Execution, "POST", path, is_repeatable=True, expects=("id", "status"))

    def bulk_cancel(self, filter: Mapping[str, Any], *, dry_run: bool = False) -> models.BulkCancelled:
        """Cancels the open executions that match every field of `filter` (see `BulkCancelFilter`), the newest first. `dry_run`:
        only counts them."""
        body = {"filter": filter, "dry_run": dry_run}
        return all_parts(self._http, models.BulkCancelled, "/v1/executions/bulk-cancel", body)

    def bulk_rerun(
        self, filter: Mapping[str, Any], *, dry_run: bool = False, idempotency_key: str | None = None
    ) -> models.BulkRerunResult:
        """Runs the ended executions that match every field of `filter` (see `BulkRerunFilter`) again, the newest first.
        `dry_run`: only counts them. After an error, such as a used-up balance, the same call with the `idempotency_key` of the
        error does the rest: one key runs an execution again once."""
        key = read_key(idempotency_key)
        body = {"filter": filter, "dry_run": dry_run}
        path = "/v1/executions/bulk-rerun"
        return all_parts(self._http, models.BulkRerunResult, path, body, idempotency_key=key)

    def erase(self, execution_id: str) -> models.DeletedExecution:
        """Erases the input, output and files of an execution that has ended."""
        return self._http.read(models.DeletedExecution, "DELETE", path_of(execution_id), expects=("deleted",))

    def create_token(self, execution_id: str, *, ttl_seconds: int | None = None) -> models.ExecutionToken:
        """A token with which a web page reads this execution, its events and its result files, and nothing else. By default
        it works for 15 minutes."""
        return self._http.read(
            models.ExecutionToken,
            "POST",
            f"{path_of(execution_id)}/token",
            body={} if ttl_seconds is None else {"ttl_seconds": ttl_seconds},
            is_repeatable=True,
            expects=("token",),
        )

    def estimate(self, model: str, input: Mapping[str, Any]) -> models.Estimate:
        """What creating this execution would hold."""
        body = {"model": model, "input": input}
        return self._http.read(
            models.Estimate,
            "POST",
            "/v1/executions/estimate",
            body=body,
            is_repeatable=True,
            expects=("hold_amount",),
        )

    def wait(
        self,
        execution_id: str,
        *,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        cancel_on_abort: bool = False,
    ) -> Execution:
        """Waits until an execution has ended, and returns it whatever its final status is. Raises WaitTimeoutError after
        `timeout` seconds. `cancel_on_abort`: if the task is cancelled, or on Ctrl-C, the execution is cancelled, too,
        which delays the exception by 5 s at most."""
        started_at = time.monotonic()
        # The first read has a little time whatever the timeout is, for only with it can a time-out report the execution.
        limit = float("inf") if timeout is None else max(timeout, _MIN_READ)
        try:
            execution = self._read(execution_id, self._http.settings.timeout, deadline=limit)
        except Exception:
            raise
        except BaseException:
            if cancel_on_abort:
                runtime.despite_cancellation(MAX_CANCEL, lambda: cancel_quietly(self._http, execution_id))
            raise
        return wait_for_end(
            self._http,
            execution,
            is_whole=True,
            started_at=started_at,
            timeout=timeout,
            on_progress=on_progress,
            cancel_on_abort=cancel_on_abort,
        )

    def events(self, execution_id: str) -> Generator[ExecutionEvent, None, None]:
        """Status, progress and log of an execution as they change, until it has ended. Reconnects by itself."""
        return follow_events(self._http, execution_id)

    def stream(
        self, execution_id: str, *, starting_after: int | None = None, cancel_on_disconnect: bool = False
    ) -> Stream[Any]:
        """Reads the output of an execution from the beginning or after the event `starting_after`, while it is made and for as
        long as it is kept. An execution without `stream=True` has one piece, at its end.
        `cancel_on_disconnect` as in `Holdfast.stream`."""

        def start() -> Streamed:
            return Streamed(execution_id)

        return Stream(
            self._http, self, start, starting_after=starting_after, cancel_on_disconnect=cancel_on_disconnect
        )
