"""Every error that the client raises."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import httpx

    from .models import Batch, ErrorDetail, Execution


class HoldfastError(Exception):
    """Base of all errors of this library."""

    code: str
    """A code of the API (`INSUFFICIENT_BALANCE`), or one of this library (`CONNECTION_FAILED`)."""
    retryable: bool
    """Whether the same request may succeed later."""
    request_id: str | None
    """Include it in reports of a problem."""
    details: Sequence[ErrorDetail]
    """The fields of the request that are wrong."""
    doc_url: str | None
    """Where the reference describes the code, if the service says so."""
    idempotency_key: str | None
    """The key of the run or create that failed. Repeat it with this key, and it is accepted at most once."""
    input: Any
    """The input of the run that failed, by which it can be repeated: with the ids of its files if they were uploaded."""
    execution: Execution | None
    """The execution, once it is known: as it was when it was last read. Before that, it has the fields of a create, and the
    others are None."""
    batch: Batch | None
    """The batch of a run that failed, once it is known: run it again with `batch_id`."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        retryable: bool = False,
        request_id: str | None = None,
        details: Sequence[ErrorDetail] = (),
        doc_url: str | None = None,
        execution: Execution | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.retryable = retryable
        self.request_id = request_id
        self.details = details
        self.doc_url = doc_url
        self.idempotency_key = None
        self.input = None
        self.execution = execution
        self.batch = None

    def __reduce__(self):
        # Without this an error could not come back from another process: `code` is no argument by position.
        return _restore, (type(self), self.args, vars(self))


def _restore(cls: type[HoldfastError], args: tuple[Any, ...], state: dict[str, Any]) -> HoldfastError:
    error = cls.__new__(cls, *args)
    vars(error).update(state)
    return error


class APIError(HoldfastError):
    """The API refused a request."""

    status: int
    headers: Mapping[str, str]

    def __init__(self, message: str, *, response: httpx.Response, **facts: Any) -> None:
        super().__init__(message, **facts)
        self.status = response.status_code
        self.headers = response.headers


class InvalidRequestError(APIError):
    """400, 405, 413, 415: the request is wrong; `details` names the fields."""


class AuthenticationError(APIError):
    """401: the API key is missing, wrong, expired or revoked."""


class BalanceError(APIError):
    """402: the balance or the spend limit is too low."""


class PermissionDeniedError(APIError):
    """403: the API key may not do this."""


class NotFoundError(APIError):
    """404: the id is unknown, or belongs to another organization."""


class ConflictError(APIError):
    """409, 410: the state of the resource does not allow this."""


class IdempotencyKeyReusedError(APIError):
    """422: the idempotency key was used with another body."""


class RateLimitError(APIError):
    """429: too many requests."""


class ServerError(APIError):
    """408 and 5xx: the service could not process the request."""


class APIConnectionError(HoldfastError):
    """There was no usable response: the request may or may not have been processed."""

    is_unsent: bool
    """Whether the request certainly did not reach the service."""

    def __init__(
        self, message: str, *, code: str, is_unsent: bool = False, request_id: str | None = None
    ) -> None:
        super().__init__(message, code=code, retryable=True, request_id=request_id)
        self.is_unsent = is_unsent


class WaitTimeoutError(HoldfastError, TimeoutError):
    """The wait was longer than `timeout`. The execution runs on: `client.executions.wait(error.execution.id)` resumes."""

    execution: Execution  # pyright: ignore[reportIncompatibleVariableOverride]

    def __init__(self, message: str, execution: Execution) -> None:
        super().__init__(message, code="WAIT_TIMED_OUT", retryable=True, execution=execution)


class ExecutionError(HoldfastError):
    """The execution ended without a result: it failed, expired or was cancelled. It costs nothing, unless a stream was cancelled
    whose model charges what it has shown (`on_cancel`)."""

    execution: Execution  # pyright: ignore[reportIncompatibleVariableOverride]

    def __init__(self, execution: Execution) -> None:
        error = execution.error
        super().__init__(
            (error and error.message) or f"The execution {execution.id} is {execution.status}.",
            code=error.code if error else f"EXECUTION_{execution.status}",
            retryable=bool(error and error.retryable),
            doc_url=error.doc_url if error else None,
            execution=execution,
        )


class WebhookVerificationError(HoldfastError):
    """The body is not from your Holdfast, was changed, or is too old."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="INVALID_SIGNATURE")


_CLASSES: Mapping[int, type[APIError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    402: BalanceError,
    403: PermissionDeniedError,
    404: NotFoundError,
    405: InvalidRequestError,
    408: ServerError,
    409: ConflictError,
    410: ConflictError,
    413: InvalidRequestError,
    415: InvalidRequestError,
    422: IdempotencyKeyReusedError,
    429: RateLimitError,
}


def error_of(response: httpx.Response, body: bytes) -> APIError:
    """The error in a response. `body` may come from a proxy and be anything."""
    status = response.status_code
    cls = _CLASSES.get(status, ServerError if status >= 500 else APIError)
    request_id = response.headers.get("x-request-id")
    reported = _read_error(body)
    if reported is None:
        return cls(
            f"HTTP {status} without an error of the API.",
            response=response,
            code=f"HTTP_{status}",
            retryable=status in (408, 429) or status >= 500,
            request_id=request_id,
        )
    from .base import parse
    from .models import ErrorDetail

    found: Any = reported.get("details")
    listed = cast("list[Any]", found if isinstance(found, list) else [])
    details = [cast("dict[str, Any]", detail) for detail in listed if isinstance(detail, dict)]
    return cls(
        str(reported.get("message") or reported["code"]),
        response=response,
        code=reported["code"],
        retryable=reported.get("retryable") is True,
        request_id=str(reported.get("request_id") or request_id or "") or None,
        details=[parse(ErrorDetail, detail) for detail in details],
        doc_url=str(reported.get("doc_url") or "") or None,
    )


def _read_error(body: bytes) -> dict[str, Any] | None:
    try:
        parsed: Any = json.loads(body)
        error = parsed["error"]
        return error if isinstance(error["code"], str) else None
    except (ValueError, TypeError, KeyError, IndexError, RecursionError):
        return None
