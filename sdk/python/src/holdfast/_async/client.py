"""The asynchronous client."""

from __future__ import annotations

import copy
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

import httpx

from .. import models
from ..base import ApiObject, parse
from ..config import read_settings
from ..errors import HoldfastError
from ..keys import read_key
from ..progress import Execution, OnProgress, is_ended
from . import runtime
from .batches import Batches
from .executions import Executions
from .files import Files, with_files
from .http import Http
from .resources import ApiKeys, Balance, Models, PortalSessions, Webhooks
from .runs import Run, result_of
from .streams import Stream, Streamed
from .waiting import MAX_CANCEL, cancel_quietly, wait_for_end

class AsyncHoldfast:
    """An asynchronous client of one Holdfast: use it with `async with`, or call `aclose()` at the end.

    `base_url` and `api_key` default to the environment variables HOLDFAST_URL and HOLDFAST_API_KEY. `timeout`: seconds that
    one HTTP request may take. `max_retries`, `retry_deadline`: how often, and for how many seconds, a request is repeated
    after a failure that a repetition can cure. `http_client`: used instead of a client of its own, and not closed.
    Raises ValueError if a setting is missing or invalid.
    """

    executions: Executions
    """Creates, reads, lists, cancels, erases, estimates and follows executions."""
    batches: Batches
    """Runs batches, and creates, reads, lists, pauses, cancels and retries them."""
    models: Models
    """The models that the key may use."""
    files: Files
    """Uploads and downloads."""
    balance: Balance
    """What is available, and what changed it."""
    api_keys: ApiKeys
    """Creates, lists, rotates and revokes API keys."""
    portal_sessions: PortalSessions
    """Creates and ends links to the portal."""
    webhooks: Webhooks
    """Webhook endpoints, deliveries and events."""

    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 60,
        max_retries: int = 5,
        retry_deadline: float = 90,
        headers: Mapping[str, str] | None = None,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        settings = read_settings(
            base_url=base_url,
            api_key=api_key,
            timeout=timeout,
            max_retries=max_retries,
            retry_deadline=retry_deadline,
            headers=headers,
        )
        self._http = Http(settings, http_client)
        self.executions = Executions(self._http)
        self.batches = Batches(self._http)
        self.models = Models(self._http)
        self.files = Files(self._http)
        self.balance = Balance(self._http)
        self.api_keys = ApiKeys(self._http)
        self.portal_sessions = PortalSessions(self._http)
        self.webhooks = Webhooks(self._http)

    @property
    def base_url(self) -> str:
        return self._http.settings.base_url

    async def __aenter__(self) -> AsyncHoldfast:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._http.close()

    async def run(
        self,
        model: str,
        input: Mapping[str, Any],
        *,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        cancel_on_abort: bool = False,
        idempotency_key: str | None = None,
        webhook_url: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        priority: str | None = None,
        timeout_seconds: int | None = None,
    ) -> Run[Any]:
        """Runs a model and waits for its output. Files in the input are uploaded; files in the output have `.save(path)`.

        `timeout`: seconds to wait; then WaitTimeoutError carries the execution, which runs on. `on_progress` is called with
        uploads, statuses, progress and log lines. `cancel_on_abort`: if the task is cancelled, or on Ctrl-C, the execution
        is cancelled, too, which delays the exception by 5 s at most. The exception of an abort has the `execution`, or, if
        that is not known, the `idempotency_key` and the `input` of the create. `idempotency_key`: two runs with the same key
        are one execution; see `derive_key`. `webhook_url` receives the final event. `metadata`: your own data, returned in
        the record. `priority`: high, normal or low. `timeout_seconds`: after so many the service ends the execution.

        Raises ExecutionError if the execution failed, expired or was cancelled, APIError if the API refused it,
        APIConnectionError if there was no response. To repeat the run without a second charge, pass the error's
        `idempotency_key` and its `input`, which has the ids of uploaded files: files that are uploaded again have other ids,
        and with them the API refuses the key.
        """
        started_at = time.monotonic()
        key = read_key(idempotency_key)
        fields: dict[str, Any] = {
            "idempotency_key": key,
            "webhook_url": webhook_url,
            # Now: the caller may change it while files are uploaded, or the create is sent again.
            "metadata": copy.deepcopy(metadata),
            "priority": priority,
            "timeout_seconds": timeout_seconds,
        }
        created, uploaded = await self._start(model, dict(input), fields, on_progress, cancel_on_abort)
        execution = parse(Execution, dict(created))
        try:
            if is_ended(execution):
                # A create that was repeated: its response has no error, result or cost.
                execution = await self.executions.get(execution.id)
            execution = await wait_for_end(
                self._http,
                execution,
                # Read above if it has ended.
                is_whole=is_ended(execution),
                started_at=started_at,
                timeout=timeout,
                on_progress=on_progress,
                cancel_on_abort=cancel_on_abort,
            )
            return await result_of(self.executions, self.files, execution)
        except HoldfastError as error:
            error.idempotency_key, error.input = key, uploaded
            error.execution = error.execution or execution
            raise

    def stream(
        self,
        model: str,
        input: Mapping[str, Any],
        *,
        cancel_on_disconnect: bool = False,
        idempotency_key: str | None = None,
        webhook_url: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        priority: str | None = None,
        timeout_seconds: int | None = None,
    ) -> Stream[Any]:
        """Runs a model that streams, and yields its output while it is made. It continues by itself where a connection breaks
        or a server restarts. The execution is created by the first use of the stream; errors are those of `run`, raised
        there. Leaving the loop leaves the execution running. `cancel_on_disconnect`: the execution is cancelled when reading
        ends before it: because the loop is left, the task is cancelled, the process dies or the network is lost. The other
        arguments are those of `run`."""
        given = dict(input)
        fields: dict[str, Any] = {
            "idempotency_key": read_key(idempotency_key),
            "webhook_url": webhook_url,
            "metadata": copy.deepcopy(metadata),
            "priority": priority,
            "timeout_seconds": timeout_seconds,
            "stream": True,
        }

        async def start() -> Streamed:
            created, uploaded = await self._start(model, given, fields, None, cancel_on_disconnect)
            return Streamed(created.id, parse(Execution, dict(created)), fields["idempotency_key"], uploaded)

        return Stream(self._http, self.executions, start, cancel_on_disconnect=cancel_on_disconnect)

    async def _start(
        self,
        model: str,
        input: dict[str, Any],
        fields: dict[str, Any],
        on_progress: OnProgress | None,
        cancel_on_abort: bool,
    ) -> tuple[models.CreatedExecution, dict[str, Any]]:
        """Uploads the files of the input and creates the execution. Returns the input with their ids, too."""
        key, uploaded = fields["idempotency_key"], input
        try:
            uploaded = await self.files.upload_input(input, on_progress)
        except HoldfastError as error:
            error.idempotency_key, error.input = key, uploaded
            raise

        async def create() -> models.CreatedExecution:
            return await self.executions.create(model, uploaded, **fields)

        try:
            return await create(), uploaded
        except HoldfastError as error:
            error.input = uploaded
            raise
        except Exception:
            raise
        except BaseException as aborted:
            # An abort leaves open whether there is an execution. Only the create itself can tell, so it is repeated.
            vars(aborted).update(idempotency_key=key, input=uploaded)
            if cancel_on_abort:
                await runtime.despite_cancellation(MAX_CANCEL, lambda: self._create_and_cancel(create, aborted))
            raise

    async def _create_and_cancel(
        self, create: Callable[[], Awaitable[models.CreatedExecution]], aborted: BaseException
    ) -> None:
        with suppress(HoldfastError):
            created = await create()
            vars(aborted)["execution"] = parse(Execution, dict(created))
            await cancel_quietly(self._http, created.id)

    def output(self, execution: Execution) -> Any:
        """The output of an execution, with files that have `.save(path)`; None unless it is completed."""
        return with_files(self.files, getattr(execution, "result", None))

    async def usage(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        group_by: str | None = None,
        tz: str | None = None,
        metadata_key: str | None = None,
    ) -> models.Usage:
        """Executions and their cost in a period, by model, day, API key or metadata; `tz` is the time zone of days, such as
        Europe/Berlin, `metadata_key` the member of the metadata."""
        query = {"from": from_, "to": to, "group_by": group_by, "tz": tz, "metadata_key": metadata_key}
        return await self._http.read(models.Usage, "GET", "/v1/usage", query=query, expects=("data",))

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> ApiObject:
        """Any other request: with the key, the retries and the errors of this client."""
        return await self._http.read(ApiObject, method, path, query=query, body=body, headers=headers, expects=())
