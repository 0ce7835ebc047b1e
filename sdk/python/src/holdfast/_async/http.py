"""Requests to one Holdfast, and their repetition."""

from __future__ import annotations

import json
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar, cast

import httpx

from ..base import ApiObject, parse
from ..config import Settings, hide_signatures, version
from ..errors import APIConnectionError, HoldfastError, error_of
from ..retries import may_be_done, retry_delay
from . import runtime

T = TypeVar("T")
M = TypeVar("M", bound=ApiObject)

Query = Mapping[str, "str | int | bool | None"]

_UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_MAX_BODY = 64 * 1024 * 1024
# The limits of httpx, of each step, come first: they tell a connection that was never made from one that is slow.
_GRACE = 0.1


class Http:
    def __init__(self, settings: Settings, client: httpx.AsyncClient | None) -> None:
        hide_signatures()
        self.settings = settings
        self._is_ours = client is None
        self._client = httpx.AsyncClient(limits=httpx.Limits(max_connections=None)) if client is None else client

    async def close(self) -> None:
        if self._is_ours:
            await self._client.aclose()

    async def read(
        self,
        model: type[M],
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        deadline: float = float("inf"),
        is_repeatable: bool | None = None,
        expects: Sequence[str],
        rows: str | None = None,
        gone_body: Mapping[str, Any] | None = None,
    ) -> M:
        """The response as a model. `deadline`: seconds that all tries together may take. `is_repeatable`: whether a request
        that may have been processed can be sent again; by default all but POST. `expects`: fields that every response of
        the API to it has; `rows`: one that must be a list of objects. `gone_body`: what a deletion returns when an earlier
        try, whose response was lost, has deleted it, and the next one gets 404."""
        # Once: the caller may change the objects before the request is sent again.
        content = None if body is None else _bytes_of(body)
        is_maybe_done = False
        ends_at = time.monotonic() + deadline

        async def attempt() -> M:
            nonlocal is_maybe_done
            request = self._build(method, path, query=query, content=content, headers=headers)
            try:
                limit = min(self.settings.timeout if timeout is None else timeout, ends_at - time.monotonic())
                response, received = await self._send(request, limit)
                return parse(model, _json_of(response, received, expects, rows), response)
            except HoldfastError as error:
                if is_maybe_done and gone_body and error.code == "NOT_FOUND":
                    return parse(model, gone_body)
                is_maybe_done = is_maybe_done or may_be_done(error)
                raise

        repeatable = method != "POST" if is_repeatable is None else is_repeatable
        return await self.repeat(attempt, is_repeatable=repeatable, max_retries=max_retries, deadline=deadline)

    async def repeat(
        self,
        attempt: Callable[[], Awaitable[T]],
        *,
        is_repeatable: bool,
        max_retries: int | None = None,
        deadline: float = float("inf"),
    ) -> T:
        """Runs `attempt` until it succeeds or a repetition is pointless."""
        ends_at = time.monotonic() + min(self.settings.retry_deadline, deadline)
        limit = self.settings.max_retries if max_retries is None else max_retries
        failures = 0
        while True:
            try:
                return await attempt()
            except HoldfastError as error:
                failures += 1
                delay = retry_delay(
                    error,
                    is_repeatable=is_repeatable,
                    failures=failures,
                    remaining=ends_at - time.monotonic(),
                    max_retries=limit,
                )
                if delay is None:
                    raise
            await runtime.sleep(delay)

    @asynccontextmanager
    async def open(
        self,
        path: str,
        *,
        query: Query | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
        silence: float,
    ) -> AsyncGenerator[httpx.Response, None]:
        """A response whose body is not read yet. A body that is silent for `silence` seconds is broken."""
        request = self._build("GET", path, query=query, headers=headers)
        limit = self.settings.timeout if timeout is None else timeout
        _limit(request, limit)
        ends_at = time.monotonic() + limit
        response = await self._dial(request, limit)
        try:
            if not response.is_success:
                raise error_of(response, await _content_of(response, ends_at, limit))
            _limit(request, silence)
            yield response
        finally:
            await response.aclose()

    async def post(self, path: str, content: bytes, content_type: str) -> tuple[httpx.Response, bytes]:
        """One try to send text that is not JSON; the response may be anything."""
        request = self._build("POST", path, content=content, headers={"content-type": content_type, "accept": "*/*"})
        return await self._send(request, self.settings.timeout)

    async def upload(
        self, url: str, content: AsyncIterator[bytes], *, size: int, content_type: str | None, timeout: float
    ) -> None:
        """PUTs bytes to a URL of the store, without the API key."""
        ends_at = time.monotonic() + timeout

        async def until_late() -> AsyncIterator[bytes]:
            # Before each read: an upload that was given up must not read from the file of its next try.
            while time.monotonic() <= ends_at:
                if (chunk := await anext(content, None)) is None:
                    return
                yield chunk
            raise _late_error(timeout)

        headers = {"content-length": str(size)}
        if content_type:
            headers["content-type"] = content_type
        await self._send(self._client.build_request("PUT", url, content=until_late(), headers=headers), timeout)

    def _build(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Request:
        # Anything else could name another host, which would get the key.
        if not path.startswith("/"):
            raise ValueError("The path of a request begins with a slash.")
        # They would be resolved, to the path of another call.
        if re.match(r"[^?#]*/\.{0,2}(?=[/?#]|$)", path):
            raise ValueError(f"The path {path} has an empty part, or one of dots. Is an id empty?")
        params = {name: _text_of(value) for name, value in (query or {}).items() if value is not None}
        return self._client.build_request(
            method,
            self.settings.base_url + path,
            params=params or None,
            content=content,
            headers=_headers_of(
                {"accept": "application/json", "user-agent": f"holdfast-sdk-python/{version}"},
                {} if content is None else {"content-type": "application/json"},
                self.settings.headers,
                headers or {},
                {"authorization": f"Bearer {self.settings.api_key}"},
            ),
        )

    async def _send(self, request: httpx.Request, limit: float) -> tuple[httpx.Response, bytes]:
        _limit(request, limit)
        ends_at = time.monotonic() + limit
        response = await self._dial(request, limit)
        try:
            content = await _content_of(response, ends_at, limit)
        finally:
            await response.aclose()
        if not response.is_success:
            raise error_of(response, content)
        return response, content

    async def _dial(self, request: httpx.Request, limit: float) -> httpx.Response:
        try:
            return await runtime.respond_within(
                limit + _GRACE,
                # A redirected POST would become a GET, and would take the key elsewhere.
                lambda: self._client.send(request, stream=True, follow_redirects=False),
            )
        except TimeoutError as error:
            raise _late_error(limit) from error
        except httpx.TransportError as error:
            raise _connection_error(error, limit) from error


def _headers_of(*parts: Mapping[str, str]) -> httpx.Headers:
    """Later ones replace earlier ones, in whatever case their names are written: a dictionary would send both."""
    headers = httpx.Headers()
    for part in parts:
        headers.update(part)
    return headers


def _limit(request: httpx.Request, seconds: float) -> None:
    # An endless timeout is None: sockets do not take infinity.
    request.extensions["timeout"] = httpx.Timeout(None if seconds == float("inf") else max(seconds, 0.001)).as_dict()


async def chunks_until(response: httpx.Response, ends_at: float) -> AsyncIterator[bytes]:
    """The body. Raises TimeoutError at a time: the timeouts of httpx begin anew with each piece."""
    chunks = response.aiter_bytes()
    while chunk := await runtime.within(ends_at - time.monotonic(), lambda: anext(chunks, None), response):
        yield chunk


async def _content_of(response: httpx.Response, ends_at: float, limit: float) -> bytes:
    content = bytearray()
    try:
        async for chunk in chunks_until(response, ends_at):
            content += chunk
            if len(content) > _MAX_BODY:
                raise APIConnectionError("The response is too large.", code="INVALID_RESPONSE")
    except TimeoutError as error:
        raise _late_error(limit) from error
    except (httpx.TransportError, httpx.DecodingError) as error:
        raise _connection_error(error, limit) from error
    return bytes(content)


def _bytes_of(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def _json_of(
    response: httpx.Response, content: bytes, expects: Sequence[str], rows: str | None
) -> dict[str, Any]:
    try:
        body: Any = json.loads(content)
    except (ValueError, RecursionError):
        body = None
    if isinstance(body, dict):
        found = cast("dict[str, Any]", body)
        if all(found.get(name) is not None for name in expects) and (rows is None or _is_rows(found.get(rows))):
            return found
    raise APIConnectionError(
        f"HTTP {response.status_code} with a body that is not of the API. Is the URL the one of your Holdfast?",
        code="INVALID_RESPONSE",
        request_id=response.headers.get("x-request-id"),
    )


def _is_rows(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(row, dict) for row in cast("list[object]", value))


def _connection_error(error: httpx.HTTPError, limit: float) -> APIConnectionError:
    if isinstance(error, (httpx.ReadTimeout, httpx.WriteTimeout)):
        return _late_error(limit)
    return APIConnectionError(
        f"The connection failed: {error or type(error).__name__}.",
        code="CONNECTION_FAILED",
        is_unsent=isinstance(error, _UNSENT),
    )


def _late_error(limit: float) -> APIConnectionError:
    return APIConnectionError(
        f"There was no complete response within {round(limit, 2):g} s.", code="REQUEST_TIMED_OUT"
    )


def _text_of(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
