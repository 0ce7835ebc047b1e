"""Runs AI models on a Holdfast server: no lost ids, no double charges, no endless waits."""

from ._async.client import AsyncHoldfast
from ._async.client import Run as AsyncRun
from ._async.files import OutputFile as AsyncOutputFile
from ._sync.client import Holdfast, Run
from ._sync.files import OutputFile
from .base import ApiObject
from .config import version as __version__
from .errors import (
    APIConnectionError,
    APIError,
    AuthenticationError,
    BalanceError,
    ConflictError,
    ExecutionError,
    HoldfastError,
    IdempotencyKeyReusedError,
    InvalidRequestError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    ServerError,
    WaitTimeoutError,
    WebhookVerificationError,
)
from .keys import derive_key
from .progress import Execution, LogEvent, ProgressEvent, StatusEvent, UploadEvent, is_ended
from .sources import File
from .webhooks import UnknownEvent, WebhookEvent

__all__ = [
    "APIConnectionError",
    "APIError",
    "ApiObject",
    "AsyncHoldfast",
    "AsyncOutputFile",
    "AsyncRun",
    "AuthenticationError",
    "BalanceError",
    "ConflictError",
    "Execution",
    "ExecutionError",
    "File",
    "Holdfast",
    "HoldfastError",
    "IdempotencyKeyReusedError",
    "InvalidRequestError",
    "LogEvent",
    "NotFoundError",
    "OutputFile",
    "PermissionDeniedError",
    "ProgressEvent",
    "RateLimitError",
    "Run",
    "ServerError",
    "StatusEvent",
    "UnknownEvent",
    "UploadEvent",
    "WaitTimeoutError",
    "WebhookEvent",
    "WebhookVerificationError",
    "__version__",
    "derive_key",
    "is_ended",
]
