"""Runs AI models on a Holdfast server: no lost ids, no double charges, no endless waits."""

from ._async.batches import BatchRun as AsyncBatchRun
from ._async.client import AsyncHoldfast
from ._async.files import OutputFile as AsyncOutputFile
from ._async.runs import Run as AsyncRun
from ._async.streams import Stream as AsyncStream
from ._sync.batches import BatchRun
from ._sync.client import Holdfast
from ._sync.files import OutputFile
from ._sync.runs import Run
from ._sync.streams import Stream
from .base import ApiObject
from .batches import AddedItems, BatchResult, RejectedItem
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
from .streams import DoneEvent, LogsEvent, OutputEvent, ResetEvent, StreamEvent, StreamProgressEvent
from .webhooks import UnknownEvent, WebhookEvent

__all__ = [
    "APIConnectionError",
    "APIError",
    "AddedItems",
    "ApiObject",
    "AsyncBatchRun",
    "AsyncHoldfast",
    "AsyncOutputFile",
    "AsyncRun",
    "AsyncStream",
    "AuthenticationError",
    "BalanceError",
    "BatchResult",
    "BatchRun",
    "ConflictError",
    "DoneEvent",
    "Execution",
    "ExecutionError",
    "File",
    "Holdfast",
    "HoldfastError",
    "IdempotencyKeyReusedError",
    "InvalidRequestError",
    "LogEvent",
    "LogsEvent",
    "NotFoundError",
    "OutputEvent",
    "OutputFile",
    "PermissionDeniedError",
    "ProgressEvent",
    "RateLimitError",
    "RejectedItem",
    "ResetEvent",
    "Run",
    "ServerError",
    "StatusEvent",
    "Stream",
    "StreamEvent",
    "StreamProgressEvent",
    "UnknownEvent",
    "UploadEvent",
    "WaitTimeoutError",
    "WebhookEvent",
    "WebhookVerificationError",
    "__version__",
    "derive_key",
    "is_ended",
]
