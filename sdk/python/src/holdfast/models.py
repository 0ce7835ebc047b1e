"""What the API sends and takes. Generated from docs/openapi.json by tools/generate.py."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from holdfast.base import ApiObject
from pydantic import AwareDatetime, ConfigDict, Field, RootModel


class EstimateExecution(ApiObject):
    model_config = ConfigDict(
        extra='forbid',
    )
    model: str
    """
    Model slug
    """
    input: dict[str, Any]


class MetadataFilter(ApiObject):
    model_config = ConfigDict(
        extra='forbid',
    )
    name: str
    value: str


class BulkRerunFilter(ApiObject):
    """
    Executions that match every field, at least one. Others than COMPLETED, FAILED, CANCELLED, EXPIRED are left as they are
    """

    model_config = ConfigDict(
        extra='forbid',
    )
    ids: list[str] | None = None
    status: list[Literal['COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'] | str] | None = (
        None
    )
    model: str | None = None
    """
    Model slug
    """
    error_code: list[Literal['INPUT_VALIDATION_ERROR', 'CONTENT_MODERATION_REJECTED', 'FILE_NOT_FOUND', 'FILE_FORMAT_UNSUPPORTED', 'INSUFFICIENT_BALANCE', 'RATE_LIMITED', 'MODEL_OVERLOADED', 'MODEL_UNAVAILABLE', 'GENERATION_TIMEOUT', 'GENERATION_FAILED', 'SERVICE_UNAVAILABLE', 'INTERNAL_ERROR'] | str] | None = (
        None
    )
    """
    Only executions that ended with one of these
    """
    metadata: MetadataFilter | None = None
    """
    Only executions whose metadata has this member, with this value as text
    """
    created_after: AwareDatetime | str | None = None
    """
    Only executions created after this time
    """
    created_before: AwareDatetime | str | None = None
    """
    Only executions created before this time
    """


class ExecutionTokenRequest(ApiObject):
    model_config = ConfigDict(
        extra='forbid',
    )
    ttl_seconds: int | None = None
    """
    Seconds until the token expires. Default: `900`
    """


class BatchItemDefaults(ApiObject):
    """
    Of items that do not say otherwise: properties of an item take precedence
    """

    model_config = ConfigDict(
        extra='forbid',
    )
    input: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None
    """
    Your own data, returned in the record. At most 16 KiB of JSON
    """
    timeout_seconds: int | None = None
    """
    Seconds until the execution expires; default: the model's timeout
    """


class BatchItemsFile(ApiObject):
    model_config = ConfigDict(
        extra='forbid',
    )
    input_file_id: str
    """
    An uploaded NDJSON file
    """


class ResumeBatch(ApiObject):
    model_config = ConfigDict(
        extra='forbid',
    )
    max_cost: str | None = None
    """
    Takes the place of `max_cost`
    """


class RetryBatchFilter(ApiObject):
    """
    Items that match every field; at least one is required
    """

    model_config = ConfigDict(
        extra='forbid',
    )
    status: list[Literal['failed', 'cancelled', 'expired'] | str] | None = None
    custom_ids: list[str] | None = None
    error_codes: list[Literal['INPUT_VALIDATION_ERROR', 'CONTENT_MODERATION_REJECTED', 'FILE_NOT_FOUND', 'FILE_FORMAT_UNSUPPORTED', 'INSUFFICIENT_BALANCE', 'RATE_LIMITED', 'MODEL_OVERLOADED', 'MODEL_UNAVAILABLE', 'GENERATION_TIMEOUT', 'GENERATION_FAILED', 'SERVICE_UNAVAILABLE', 'INTERNAL_ERROR'] | str] | None = (
        None
    )


class DeclaredUpload(ApiObject):
    model_config = ConfigDict(
        extra='forbid',
    )
    filename: str
    """
    The name of the file
    """
    content_type: Literal['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif', 'image/tiff', 'image/bmp', 'image/heic', 'audio/mpeg', 'audio/wav', 'audio/x-wav', 'audio/ogg', 'audio/flac', 'audio/mp4', 'audio/aac', 'audio/webm', 'video/mp4', 'video/webm', 'video/quicktime', 'video/x-matroska', 'video/3gpp', 'model/gltf-binary', 'application/pdf', 'application/json', 'application/x-ndjson', 'application/zip', 'text/plain', 'text/csv', 'text/markdown', 'application/octet-stream'] | str | None = (
        None
    )
    """
    Case is ignored; parameters and common aliases such as `image/jpg` and `audio/mp3` are accepted. Without it, or with `application/octet-stream` or an empty text, the bytes determine the type, and the extension of `filename` which text it is (`csv`, `json`, `jsonl`, `md`)
    """
    size_bytes: int
    """
    The exact size
    """
    ttl_days: int | None = None
    """
    The file is deleted after this many days; without it, the file is kept
    """
    purpose: Literal['INPUT', 'UPLOAD'] | str | None = None
    """
    When given, undeclared fields are derived from the uploaded bytes
    """
    region: Literal['US', 'EU', 'APAC'] | str | None = None
    """
    Accepted for compatibility and ignored: there is one store
    """


class DerivedUpload(ApiObject):
    """
    Undeclared fields are derived from the uploaded bytes
    """

    model_config = ConfigDict(
        extra='forbid',
    )
    filename: str | None = None
    """
    The name of the file
    """
    content_type: Literal['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif', 'image/tiff', 'image/bmp', 'image/heic', 'audio/mpeg', 'audio/wav', 'audio/x-wav', 'audio/ogg', 'audio/flac', 'audio/mp4', 'audio/aac', 'audio/webm', 'video/mp4', 'video/webm', 'video/quicktime', 'video/x-matroska', 'video/3gpp', 'model/gltf-binary', 'application/pdf', 'application/json', 'application/x-ndjson', 'application/zip', 'text/plain', 'text/csv', 'text/markdown', 'application/octet-stream'] | str | None = (
        None
    )
    """
    Case is ignored; parameters and common aliases such as `image/jpg` and `audio/mp3` are accepted. Without it, or with `application/octet-stream` or an empty text, the bytes determine the type, and the extension of `filename` which text it is (`csv`, `json`, `jsonl`, `md`)
    """
    size_bytes: int | None = None
    """
    The exact size
    """
    ttl_days: int | None = None
    """
    The file is deleted after this many days; without it, the file is kept
    """
    purpose: Literal['INPUT', 'UPLOAD'] | str
    """
    When given, undeclared fields are derived from the uploaded bytes
    """
    region: Literal['US', 'EU', 'APAC'] | str | None = None
    """
    Accepted for compatibility and ignored: there is one store
    """


class ConfirmRequest(ApiObject):
    model_config = ConfigDict(
        extra='forbid',
    )
    file_id: str
    """
    Id
    """


class WebhookEndpointRequest(ApiObject):
    model_config = ConfigDict(
        extra='forbid',
    )
    url: str
    """
    An HTTPS URL on port 443 or 8443, with a host name or an address. The operator may allow ports 1024 and above
    """
    description: str | None = None
    """
    A label. Default: `""`
    """
    events: list[Literal['execution.started', 'execution.completed', 'execution.failed', 'execution.cancelled', 'execution.expired', 'endpoint.failing', 'endpoint.deactivated', 'endpoint.recovered', 'batch.completed', 'batch.paused', 'batch.cancelled', 'batch.expired', 'execution.*', 'endpoint.*', 'batch.*'] | str] | None = (
        None
    )
    """
    Event types to send; empty: all execution events (`execution.*`). Events about your other endpoints (`endpoint.failing`, `endpoint.deactivated`, `endpoint.recovered`) are sent only to endpoints that list them or `endpoint.*`; those about batches (`batch.completed`, `batch.paused`, `batch.cancelled`, `batch.expired`) to those that list them or `batch.*`. Default: `[]`
    """
    models: list[str] | None = None
    """
    Slugs of the models whose events are sent; empty: all models, or those of the API key if it is limited to `models`. Default: `[]`
    """
    payload: Literal['full', 'thin'] | str | None = None
    """
    `full`: the execution with its result. `thin`: only its id and status, for receivers that read the execution themselves. Default: `"full"`
    """
    dialect: Literal['holdfast', 'openai'] | str | None = None
    """
    Whose webhooks the deliveries look like. `openai`: `response.completed`, `response.failed`, `response.cancelled` and `response.incomplete` with the id of the response, `video.completed` and `video.failed` with that of a video, and `batch.*` with that of the batch, which the SDKs' `webhooks.unwrap()` verifies and reads; other events are not delivered. Default: `"holdfast"`
    """
    max_in_flight: int | None = None
    """
    Upper bound of concurrent requests to the endpoint; each webhook-sender of the service may have one, even if that is more. Below it, Holdfast sends as many as the endpoint takes without failing or slowing down. Default: `256`
    """
    max_per_second: int | None = None
    """
    Maximum number of requests per second; null: no limit. Default: `null`
    """
    headers: dict[str, Any] | None = None
    """
    Default: `{}`
    """


class WebhookEndpointChanges(ApiObject):
    model_config = ConfigDict(
        extra='forbid',
    )
    events: list[Literal['execution.started', 'execution.completed', 'execution.failed', 'execution.cancelled', 'execution.expired', 'endpoint.failing', 'endpoint.deactivated', 'endpoint.recovered', 'batch.completed', 'batch.paused', 'batch.cancelled', 'batch.expired', 'execution.*', 'endpoint.*', 'batch.*'] | str] | None = (
        None
    )
    """
    Event types to send; empty: all execution events (`execution.*`). Events about your other endpoints (`endpoint.failing`, `endpoint.deactivated`, `endpoint.recovered`) are sent only to endpoints that list them or `endpoint.*`; those about batches (`batch.completed`, `batch.paused`, `batch.cancelled`, `batch.expired`) to those that list them or `batch.*`
    """
    models: list[str] | None = None
    """
    Slugs of the models whose events are sent; empty: all models, or those of the API key if it is limited to `models`
    """
    payload: Literal['full', 'thin'] | str | None = None
    """
    `full`: the execution with its result. `thin`: only its id and status, for receivers that read the execution themselves
    """
    dialect: Literal['holdfast', 'openai'] | str | None = None
    """
    Whose webhooks the deliveries look like. `openai`: `response.completed`, `response.failed`, `response.cancelled` and `response.incomplete` with the id of the response, `video.completed` and `video.failed` with that of a video, and `batch.*` with that of the batch, which the SDKs' `webhooks.unwrap()` verifies and reads; other events are not delivered
    """
    max_in_flight: int | None = None
    """
    Upper bound of concurrent requests to the endpoint; each webhook-sender of the service may have one, even if that is more. Below it, Holdfast sends as many as the endpoint takes without failing or slowing down
    """
    max_per_second: int | None = None
    """
    Maximum number of requests per second; null: no limit
    """
    headers: dict[str, Any] | None = None
    """
    Replaces all headers; `{}` removes them
    """
    description: str | None = None
    """
    A label
    """
    is_active: bool | None = None


class TestEventRequest(ApiObject):
    model_config = ConfigDict(
        extra='forbid',
    )
    type: Literal['webhook.test', 'execution.started', 'execution.completed', 'execution.failed', 'execution.cancelled', 'execution.expired', 'endpoint.failing', 'endpoint.deactivated', 'endpoint.recovered', 'batch.completed', 'batch.paused', 'batch.cancelled', 'batch.expired'] | str | None = (
        None
    )
    """
    The type of the event. Default: `"webhook.test"`
    """


class RecoverRequest(ApiObject):
    model_config = ConfigDict(
        extra='forbid',
    )
    since: AwareDatetime | str
    """
    Deliveries created since this time
    """


class ApiKeyRequest(ApiObject):
    model_config = ConfigDict(
        extra='forbid',
    )
    name: str
    """
    A label
    """
    permissions: Literal['full', 'execution'] | str | None = None
    """
    `full`: every scope (the default for a caller with every scope); `execution`: executions and files only
    """
    mode: Literal['live', 'test'] | str | None = None
    """
    `test`: the key runs only sandbox models and is never charged
    """
    scopes: list[Literal['executions:write', 'executions:read', 'files', 'webhooks', 'keys', 'balance', 'portal'] | str] | None = (
        None
    )
    """
    What the key may do, instead of `permissions`
    """
    expires_at: AwareDatetime | str | None = None
    """
    When the key stops working; omitted: never
    """
    models: list[str] | None = None
    """
    Slugs of the models that the key may use; it reads only their executions, events and deliveries. Empty: all models
    """
    addresses: list[str] | None = None
    """
    Addresses and CIDR ranges that the key may be used from; empty: all
    """


class PortalTheme(ApiObject):
    model_config = ConfigDict(
        extra='forbid',
    )
    accent: str | None = None
    """
    The color of buttons and links
    """
    logo_url: str | None = None
    """
    An image, at most 32 pixels high
    """
    color_scheme: Literal['auto', 'light', 'dark'] | str | None = 'auto'
    """
    `auto`: as the browser prefers
    """


class ExecutionError(ApiObject):
    code: str
    """
    A code of the error table
    """
    message: str
    retryable: bool
    """
    Whether a new execution may succeed
    """
    doc_url: str | None = None
    """
    A page about this code; events omit it
    """


class ExecutionUsage(ApiObject):
    """
    What was charged for: tokens, and the other quantities that the price of the model depends on
    """

    input_tokens: int
    """
    Input tokens, if the model counts them
    """
    output_tokens: int
    """
    Output tokens, if the model counts them
    """
    seconds: float | None = None
    """
    Seconds of the output, or of the run
    """
    images: float | None = None
    """
    Images
    """
    megapixels: float | None = None
    """
    Million pixels of the output
    """
    characters: float | None = None
    """
    Characters of the input
    """
    input_seconds: float | None = None
    """
    Seconds of the audio or video in the input
    """
    input_megapixels: float | None = None
    """
    Million pixels of the input
    """
    units: dict[str, Any] | None = None
    estimated: list[str] | None = None
    """
    Names of quantities that could not be measured: they were charged as estimated
    """
    usage_estimated: Literal[True] | None = None
    """
    The provider of a stream reported no tokens: they were counted by its bytes
    """


class ExecutionUrls(ApiObject):
    """
    Where to read, follow and cancel it
    """

    self: str
    """
    The execution
    """
    result: str
    """
    Its result, once completed
    """
    events: str
    """
    Its events as they happen
    """
    stream: str
    """
    Its output as it is made. After a create with `stream: true` it contains a token, so that an `EventSource` can open it
    """
    cancel: str
    """
    `POST` here to cancel it
    """


class CreatedExecution(ApiObject):
    id: str
    """
    Id
    """
    status: Literal['PENDING', 'PROCESSING', 'AWAITING_WEBHOOK', 'COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'] | str
    model: str
    """
    Model slug as submitted
    """
    hold_amount: str
    """
    The amount reserved from the balance; released if the execution does not complete
    """
    estimated_cost: str
    """
    The expected cost
    """
    expires_at: AwareDatetime
    """
    When it expires if it has no result
    """
    created_at: AwareDatetime
    """
    When it was accepted
    """
    urls: ExecutionUrls


class ErrorDetail(ApiObject):
    field: str
    """
    The path of the field
    """
    code: str
    message: str


class Execution(ApiObject):
    id: str
    """
    Id
    """
    status: Literal['PENDING', 'PROCESSING', 'AWAITING_WEBHOOK', 'COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'] | str
    model: str
    """
    Model slug as submitted
    """
    hold_amount: str
    """
    The amount reserved from the balance; released if the execution does not complete
    """
    estimated_cost: str
    """
    The expected cost
    """
    expires_at: AwareDatetime
    """
    When it expires if it has no result
    """
    created_at: AwareDatetime
    """
    When it was accepted
    """
    mode: Literal['ASYNC'] = 'ASYNC'
    priority: Literal['high', 'normal', 'low', 'batch'] | str
    """
    `batch`: it runs an item of a batch, and starts when nothing else may
    """
    progress: float | None
    """
    Progress from 0 to 1, if known; 1 once completed
    """
    queue_position: int | None
    """
    Position in the queue of its provider, if known
    """
    metadata: dict[str, Any] | None
    """
    As submitted
    """
    webhook_url: str | None
    started_at: AwareDatetime | None
    completed_at: AwareDatetime | None
    cost: str | None
    error: ExecutionError | None
    """
    Why it failed or expired
    """
    erased_at: AwareDatetime | None
    result: dict[str, Any] | None = None
    """
    Present when `COMPLETED`, until the execution is erased
    """
    usage: ExecutionUsage | None = None
    """
    Present when `COMPLETED`, and when a cancel was charged
    """
    latency_ms: int | None = None
    """
    Present when `COMPLETED`: milliseconds from creation to completion
    """
    finish_reason: str | None = None
    """
    Why the output ended, as the provider says it, such as `stop` or `length`; `budget`: the hold or the balance was used up; `deadline`: the execution was about to expire
    """
    partial_output: str | None = None
    """
    What a stream that did not complete had shown
    """
    batch_id: str | None = None
    """
    The batch of which it runs an item
    """
    custom_id: str | None = None
    """
    The item's `custom_id`
    """
    logs: str | None = None
    """
    The last 64 KiB of the log, if the model writes one
    """
    urls: ExecutionUrls | None = None


class EstimateItem(ApiObject):
    unit: Literal['run', 'second', 'image', 'megapixel', 'input_token', 'output_token', 'character', 'input_second', 'input_megapixel', 'unit', 'minimum'] | str
    """
    The unit of the price; `minimum`: what the least price of a run adds
    """
    input: str | None = None
    """
    Of units of the input: the property that is counted
    """
    quantity: float
    """
    The expected quantity for this input
    """
    unit_price: str
    """
    The price of one unit
    """
    amount: str
    """
    The exact amount, not rounded
    """


class HoldRule(ApiObject):
    """
    How the hold is calculated
    """

    factor: Literal['1.2'] = '1.2'
    """
    `hold_amount` is `estimated_cost` times this factor
    """


class DeletedExecution(ApiObject):
    id: str
    """
    Id
    """
    deleted: Literal[True] = True


class ExecutionInput(ApiObject):
    execution_id: str
    """
    Id
    """
    input: dict[str, Any]


class ExecutionResult(ApiObject):
    execution_id: str
    """
    Id
    """
    status: Literal['COMPLETED'] = 'COMPLETED'
    output: dict[str, Any]
    usage: ExecutionUsage
    cost: str
    """
    The amount charged
    """
    latency_ms: int
    """
    Milliseconds from creation to completion
    """


class BulkCancelled(ApiObject):
    matched: int
    """
    Executions of this part that match
    """
    cancelled: int
    """
    Those that were cancelled now
    """
    has_more: bool
    """
    Whether there are more items
    """
    next_cursor: str | None
    """
    Pass it as `cursor` to get the next page; null on the last page
    """


class BulkRerunExecution(ApiObject):
    id: str
    """
    The new execution
    """
    rerun_of: str
    """
    The original
    """


class BulkRerunSkipped(ApiObject):
    rerun_of: str
    """
    The original
    """
    code: str
    message: str


class ExecutionToken(ApiObject):
    token: str
    """
    Send it as `Authorization: Bearer <token>`
    """
    execution_id: str
    """
    The execution that the token can read
    """
    expires_at: AwareDatetime
    """
    When the token expires
    """


class BatchCounts(ApiObject):
    """
    How many items there are, in all and with each status
    """

    total: int
    """
    Items that were accepted
    """
    waiting: int
    """
    Not executions yet: nothing is held for them
    """
    running: int
    """
    Executions that have not ended
    """
    completed: int
    """
    Completed
    """
    failed: int
    """
    Failed
    """
    cancelled: int
    """
    Cancelled, before or while they ran
    """
    expired: int
    """
    Expired, before or while they ran
    """


class DeletedBatch(ApiObject):
    id: str
    """
    Id
    """
    deleted: Literal[True] = True


class BatchItemError(ApiObject):
    code: str
    message: str


class RetriedBatch(ApiObject):
    id: str
    """
    Id
    """
    status: Literal['open', 'running', 'paused', 'finishing', 'completed', 'cancelled', 'expired'] | str
    """
    `open` takes items; `running`; `paused`, see `reason`; `finishing`: no more items start, and the last ones end; then `completed`, `cancelled` or `expired`
    """
    reason: Literal['insufficient_balance', 'spend_limit', 'max_cost', 'requested', 'input_errors'] | str | None
    """
    Why it is paused; `input_errors`: why it was cancelled
    """
    ends_as: Literal['completed', 'cancelled', 'expired'] | str | None
    """
    What it becomes, or became, at its end; null before
    """
    model: str | None
    """
    Of items without one
    """
    defaults: dict[str, Any] | None
    metadata: dict[str, Any] | None
    """
    As submitted
    """
    webhook_url: str | None
    max_cost: str | None
    on_insufficient_balance: Literal['pause', 'cancel'] | str
    completion_window_s: int
    events: Literal['none', 'failed', 'all'] | str
    """
    Which events its executions have
    """
    reserve: bool
    counts: BatchCounts
    cost: str
    """
    What was charged for its items
    """
    held: str
    """
    What is held for the items that run
    """
    reserved: str
    """
    What is left of its reservation
    """
    output_file_id: str
    """
    Its completed items as NDJSON, readable while it runs
    """
    error_file_id: str
    """
    Its other ended items as NDJSON
    """
    created_at: AwareDatetime
    """
    When it was created
    """
    sealed_at: AwareDatetime | None
    expires_at: AwareDatetime
    """
    When items that still wait expire
    """
    ended_at: AwareDatetime | None
    estimated_end_at: AwareDatetime | None
    erased_at: AwareDatetime | None
    retried: int


class PriceRow(ApiObject):
    when: dict[str, Any]
    price: str
    """
    The price of one unit
    """


class SpendLimit(ApiObject):
    amount: str
    """
    Maximum spend in a month (UTC)
    """
    month: str
    """
    The current month
    """
    spent: str
    """
    The cost of executions created this month, plus the holds of those still open
    """
    remaining: str
    """
    What can still be spent this month
    """


class Transaction(ApiObject):
    sequence: int
    """
    Number in the journal of your organization; increases with every transaction
    """
    kind: Literal['top_up', 'correction', 'hold', 'overage', 'settle', 'remainder', 'release', 'reserve', 'unreserve'] | str
    """
    `top_up` and `correction`: made by the operator; `hold`: reserves an amount for an execution; `settle`: charges the cost; `overage`, before it: takes the part of the cost above the hold; `remainder`, after it: returns the unused part of the hold; `release`: returns the hold of an execution that is not charged; `reserve`: takes the holds of all items of a batch; `unreserve`: returns what its items hold, or the rest at its end
    """
    amount: str
    """
    The amount moved, never below 0
    """
    available_change: str
    """
    The change of `available`; below 0 when it decreased
    """
    held_change: str
    """
    The change of `held`; below 0 when it decreased
    """
    execution_id: str | None
    reason: str | None
    """
    The operator's reason for a top-up or correction
    """
    available_after: str
    """
    `available` after the transaction
    """
    held_after: str
    """
    `held` after the transaction
    """
    balance_after: str
    """
    The total after the transaction
    """
    created_at: AwareDatetime
    """
    When it was recorded
    """


class UsageRow(ApiObject):
    model: str | None = None
    """
    Model slug, with `group_by=model`
    """
    day: str | None = None
    """
    Day in the time zone `tz`, with `group_by=day`
    """
    api_key: str | None = None
    """
    Id of the API key, with `group_by=api_key`. Null: created without one
    """
    metadata: str | None = None
    """
    The value of `metadata_key`, with `group_by=metadata`. Null: executions without it
    """
    executions: int
    """
    Number of completed executions
    """
    cost: str
    """
    The amount charged
    """
    input_tokens: int
    """
    Input tokens
    """
    output_tokens: int
    """
    Output tokens
    """


class UsageTotal(ApiObject):
    """
    The sum of all rows
    """

    executions: int
    """
    Number of completed executions
    """
    cost: str
    """
    The amount charged
    """
    input_tokens: int
    """
    Input tokens
    """
    output_tokens: int
    """
    Output tokens
    """


class Upload(ApiObject):
    file_id: str
    """
    The reference to use in the input of an execution
    """
    upload_url: str
    """
    PUT the bytes here before `expires_at`, without the API key
    """
    expires_at: AwareDatetime
    """
    When the upload URL expires
    """


class File(ApiObject):
    file_id: str
    """
    Id
    """
    filename: str
    content_type: str | None
    """
    Null until the bytes are checked, if the upload did not declare it
    """
    size_bytes: int | None
    """
    Null until the bytes are checked, if the upload did not declare it
    """
    status: Literal['awaiting_upload', 'ready'] | str
    width: int | None
    """
    Pixels, if known
    """
    height: int | None
    """
    Pixels, if known
    """
    duration: float | None
    """
    Seconds of audio or video, if known
    """
    created_at: AwareDatetime
    """
    When the file was created
    """
    expires_at: AwareDatetime | None


class DeletedFile(ApiObject):
    file_id: str
    """
    Id
    """
    deleted: Literal[True] = True


class DownloadUrl(ApiObject):
    file_id: str
    """
    Id
    """
    url: str
    """
    GET this URL before `expires_at`, without the API key
    """
    expires_at: AwareDatetime
    """
    When the URL expires: one hour after the request
    """
    content_type: str
    size_bytes: int


class CreatedWebhookEndpoint(ApiObject):
    id: str
    """
    Id
    """
    url: str
    description: str
    events: list[str]
    models: list[str]
    """
    Empty: all models
    """
    payload: Literal['full', 'thin'] | str
    """
    `full`: the execution with its result. `thin`: only its id and status, for receivers that read the execution themselves
    """
    dialect: Literal['holdfast', 'openai'] | str
    """
    Whose webhooks the deliveries look like. `openai`: `response.completed`, `response.failed`, `response.cancelled` and `response.incomplete` with the id of the response, `video.completed` and `video.failed` with that of a video, and `batch.*` with that of the batch, which the SDKs' `webhooks.unwrap()` verifies and reads; other events are not delivered
    """
    max_in_flight: int
    """
    Upper bound of concurrent requests to the endpoint; each webhook-sender of the service may have one, even if that is more. Below it, Holdfast sends as many as the endpoint takes without failing or slowing down
    """
    max_per_second: int | None
    """
    Maximum number of requests per second; null: no limit
    """
    is_active: bool
    """
    Whether deliveries are made
    """
    status: Literal['active', 'inactive'] | str
    """
    `is_active` as a word
    """
    failure_count: int
    """
    Failed deliveries in a row
    """
    last_success: AwareDatetime | None
    last_failure: AwareDatetime | None
    last_error: str | None
    """
    The error of the last failure
    """
    failing_since: AwareDatetime | None
    previous_secret_valid_until: AwareDatetime | None
    created_at: AwareDatetime
    """
    When the endpoint was created
    """
    secret: str
    """
    Signs the deliveries. Returned only once
    """


class WebhookEndpoint(ApiObject):
    id: str
    """
    Id
    """
    url: str
    description: str
    events: list[str]
    models: list[str]
    """
    Empty: all models
    """
    payload: Literal['full', 'thin'] | str
    """
    `full`: the execution with its result. `thin`: only its id and status, for receivers that read the execution themselves
    """
    dialect: Literal['holdfast', 'openai'] | str
    """
    Whose webhooks the deliveries look like. `openai`: `response.completed`, `response.failed`, `response.cancelled` and `response.incomplete` with the id of the response, `video.completed` and `video.failed` with that of a video, and `batch.*` with that of the batch, which the SDKs' `webhooks.unwrap()` verifies and reads; other events are not delivered
    """
    max_in_flight: int
    """
    Upper bound of concurrent requests to the endpoint; each webhook-sender of the service may have one, even if that is more. Below it, Holdfast sends as many as the endpoint takes without failing or slowing down
    """
    max_per_second: int | None
    """
    Maximum number of requests per second; null: no limit
    """
    is_active: bool
    """
    Whether deliveries are made
    """
    status: Literal['active', 'inactive'] | str
    """
    `is_active` as a word
    """
    failure_count: int
    """
    Failed deliveries in a row
    """
    last_success: AwareDatetime | None
    last_failure: AwareDatetime | None
    last_error: str | None
    """
    The error of the last failure
    """
    failing_since: AwareDatetime | None
    previous_secret_valid_until: AwareDatetime | None
    created_at: AwareDatetime
    """
    When the endpoint was created
    """


class DeletedWebhookEndpoint(ApiObject):
    id: str
    """
    Id
    """
    deleted: Literal[True] = True


class WebhookEndpointHour(ApiObject):
    """
    Attempts that started in this hour and have ended
    """

    at: AwareDatetime
    """
    The start of the hour
    """
    succeeded: int
    failed: int
    p50_ms: float | None
    """
    Half of the attempts ended within this time
    """
    p95_ms: float | None


class LastDeliveryAttempt(ApiObject):
    number: int
    started_at: AwareDatetime
    """
    When the request was sent
    """
    status_code: int | None
    """
    Null when there was no response
    """
    duration_ms: int | None
    error: str | None
    """
    Null: the attempt succeeded, is still running or was interrupted
    """
    error_stage: str | None
    """
    The stage at which the attempt failed: `policy` (the URL is not allowed), `dns`, `connect`, `tls`, `timeout`, `response` (not a 2xx, or unreadable), `aborted`, `unprepared` (the request could not be built)
    """
    response: str | None
    """
    The first 4 KiB of the response body; null when unknown
    """
    delivery_id: str
    """
    Id
    """
    event_type: str


class RotatedWebhookSecret(ApiObject):
    id: str
    """
    Id
    """
    secret: str
    """
    The new secret. Returned only once
    """
    previous_secret_valid_until: AwareDatetime | None


class TestCallResult(ApiObject):
    success: bool
    status_code: int
    response_time_ms: int
    error: str | None = None
    """
    The error, if the test event was not delivered
    """


class DeliveryAttempt(ApiObject):
    number: int
    started_at: AwareDatetime
    """
    When the request was sent
    """
    status_code: int | None
    """
    Null when there was no response
    """
    duration_ms: int | None
    error: str | None
    """
    Null: the attempt succeeded, is still running or was interrupted
    """
    error_stage: str | None
    """
    The stage at which the attempt failed: `policy` (the URL is not allowed), `dns`, `connect`, `tls`, `timeout`, `response` (not a 2xx, or unreadable), `aborted`, `unprepared` (the request could not be built)
    """
    response: str | None
    """
    The first 4 KiB of the response body; null when unknown
    """


class Recovered(ApiObject):
    redelivered: int
    """
    Number of deliveries
    """
    has_more: bool
    """
    Whether there are more to recover
    """


class WebhookSecret(ApiObject):
    secret: str
    previous_secret_valid_until: AwareDatetime | None


class EventPage(ApiObject):
    data: list[dict[str, Any]]
    has_more: bool
    """
    Whether there are more items
    """
    next_cursor: str | None
    """
    Pass it as `cursor` to get the next page; null on the last page
    """


class ExecutionReference(ApiObject):
    """
    For events without the execution itself: read it by its id
    """

    id: str
    """
    Id
    """
    status: Literal['PENDING', 'PROCESSING', 'AWAITING_WEBHOOK', 'COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'] | str


class ExecutionCompletedEvent(ApiObject):
    id: str
    """
    The same in every attempt: drop ids that you have already seen
    """
    type: Literal['execution.completed'] = 'execution.completed'
    event_type: Literal['execution.completed'] = 'execution.completed'
    """
    The same as `type`
    """
    timestamp: AwareDatetime
    """
    When it happened
    """
    version: Literal['1.0'] = '1.0'
    organization_id: str
    """
    Id
    """
    test: Literal[True] | None = None
    """
    Nothing has happened: it was sent by `POST /v1/webhooks/endpoints/{id}/test`
    """
    execution_id: str
    """
    Id
    """
    truncated: Literal[True] | None = None
    """
    The full event would exceed 256 KiB: read the execution instead
    """
    data: Execution | ExecutionReference
    """
    The execution, as `GET /v1/executions/{id}` returned it then, without `logs` and `urls`. Only its id and status with `payload: "thin"`, and when the event is `truncated`
    """


class ExecutionFailedEvent(ApiObject):
    id: str
    """
    The same in every attempt: drop ids that you have already seen
    """
    type: Literal['execution.failed'] = 'execution.failed'
    event_type: Literal['execution.failed'] = 'execution.failed'
    """
    The same as `type`
    """
    timestamp: AwareDatetime
    """
    When it happened
    """
    version: Literal['1.0'] = '1.0'
    organization_id: str
    """
    Id
    """
    test: Literal[True] | None = None
    """
    Nothing has happened: it was sent by `POST /v1/webhooks/endpoints/{id}/test`
    """
    execution_id: str
    """
    Id
    """
    truncated: Literal[True] | None = None
    """
    The full event would exceed 256 KiB: read the execution instead
    """
    data: Execution | ExecutionReference
    """
    The execution, as `GET /v1/executions/{id}` returned it then, without `logs` and `urls`. Only its id and status with `payload: "thin"`, and when the event is `truncated`
    """


class ExecutionCancelledEvent(ApiObject):
    id: str
    """
    The same in every attempt: drop ids that you have already seen
    """
    type: Literal['execution.cancelled'] = 'execution.cancelled'
    event_type: Literal['execution.cancelled'] = 'execution.cancelled'
    """
    The same as `type`
    """
    timestamp: AwareDatetime
    """
    When it happened
    """
    version: Literal['1.0'] = '1.0'
    organization_id: str
    """
    Id
    """
    test: Literal[True] | None = None
    """
    Nothing has happened: it was sent by `POST /v1/webhooks/endpoints/{id}/test`
    """
    execution_id: str
    """
    Id
    """
    truncated: Literal[True] | None = None
    """
    The full event would exceed 256 KiB: read the execution instead
    """
    data: Execution | ExecutionReference
    """
    The execution, as `GET /v1/executions/{id}` returned it then, without `logs` and `urls`. Only its id and status with `payload: "thin"`, and when the event is `truncated`
    """


class ExecutionExpiredEvent(ApiObject):
    id: str
    """
    The same in every attempt: drop ids that you have already seen
    """
    type: Literal['execution.expired'] = 'execution.expired'
    event_type: Literal['execution.expired'] = 'execution.expired'
    """
    The same as `type`
    """
    timestamp: AwareDatetime
    """
    When it happened
    """
    version: Literal['1.0'] = '1.0'
    organization_id: str
    """
    Id
    """
    test: Literal[True] | None = None
    """
    Nothing has happened: it was sent by `POST /v1/webhooks/endpoints/{id}/test`
    """
    execution_id: str
    """
    Id
    """
    truncated: Literal[True] | None = None
    """
    The full event would exceed 256 KiB: read the execution instead
    """
    data: Execution | ExecutionReference
    """
    The execution, as `GET /v1/executions/{id}` returned it then, without `logs` and `urls`. Only its id and status with `payload: "thin"`, and when the event is `truncated`
    """


class WebhookEndpointState(ApiObject):
    id: str
    """
    Id
    """
    url: str
    is_active: bool
    failure_count: int
    last_error: str | None


class EndpointDeactivatedEvent(ApiObject):
    id: str
    """
    The same in every attempt: drop ids that you have already seen
    """
    type: Literal['endpoint.deactivated'] = 'endpoint.deactivated'
    event_type: Literal['endpoint.deactivated'] = 'endpoint.deactivated'
    """
    The same as `type`
    """
    timestamp: AwareDatetime
    """
    When it happened
    """
    version: Literal['1.0'] = '1.0'
    organization_id: str
    """
    Id
    """
    test: Literal[True] | None = None
    """
    Nothing has happened: it was sent by `POST /v1/webhooks/endpoints/{id}/test`
    """
    endpoint_id: str
    """
    The endpoint that the event is about
    """
    data: WebhookEndpointState


class EndpointRecoveredEvent(ApiObject):
    id: str
    """
    The same in every attempt: drop ids that you have already seen
    """
    type: Literal['endpoint.recovered'] = 'endpoint.recovered'
    event_type: Literal['endpoint.recovered'] = 'endpoint.recovered'
    """
    The same as `type`
    """
    timestamp: AwareDatetime
    """
    When it happened
    """
    version: Literal['1.0'] = '1.0'
    organization_id: str
    """
    Id
    """
    test: Literal[True] | None = None
    """
    Nothing has happened: it was sent by `POST /v1/webhooks/endpoints/{id}/test`
    """
    endpoint_id: str
    """
    The endpoint that the event is about
    """
    data: WebhookEndpointState


class BatchState(ApiObject):
    id: str
    """
    Id
    """
    status: Literal['open', 'running', 'paused', 'finishing', 'completed', 'cancelled', 'expired'] | str
    reason: Literal['insufficient_balance', 'spend_limit', 'max_cost', 'requested', 'input_errors'] | str | None
    """
    Why it is paused; `input_errors`: why it was cancelled
    """
    counts: BatchCounts
    cost: str
    """
    What was charged for its items
    """
    metadata: dict[str, Any] | None


class BatchPausedEvent(ApiObject):
    id: str
    """
    The same in every attempt: drop ids that you have already seen
    """
    type: Literal['batch.paused'] = 'batch.paused'
    event_type: Literal['batch.paused'] = 'batch.paused'
    """
    The same as `type`
    """
    timestamp: AwareDatetime
    """
    When it happened
    """
    version: Literal['1.0'] = '1.0'
    organization_id: str
    """
    Id
    """
    test: Literal[True] | None = None
    """
    Nothing has happened: it was sent by `POST /v1/webhooks/endpoints/{id}/test`
    """
    batch_id: str
    """
    Id
    """
    data: BatchState


class BatchCancelledEvent(ApiObject):
    id: str
    """
    The same in every attempt: drop ids that you have already seen
    """
    type: Literal['batch.cancelled'] = 'batch.cancelled'
    event_type: Literal['batch.cancelled'] = 'batch.cancelled'
    """
    The same as `type`
    """
    timestamp: AwareDatetime
    """
    When it happened
    """
    version: Literal['1.0'] = '1.0'
    organization_id: str
    """
    Id
    """
    test: Literal[True] | None = None
    """
    Nothing has happened: it was sent by `POST /v1/webhooks/endpoints/{id}/test`
    """
    batch_id: str
    """
    Id
    """
    data: BatchState


class BatchExpiredEvent(ApiObject):
    id: str
    """
    The same in every attempt: drop ids that you have already seen
    """
    type: Literal['batch.expired'] = 'batch.expired'
    event_type: Literal['batch.expired'] = 'batch.expired'
    """
    The same as `type`
    """
    timestamp: AwareDatetime
    """
    When it happened
    """
    version: Literal['1.0'] = '1.0'
    organization_id: str
    """
    Id
    """
    test: Literal[True] | None = None
    """
    Nothing has happened: it was sent by `POST /v1/webhooks/endpoints/{id}/test`
    """
    batch_id: str
    """
    Id
    """
    data: BatchState


class WebhookTestData(ApiObject):
    message: str


class ApiKey(ApiObject):
    id: str
    """
    Id
    """
    name: str
    prefix: str
    """
    The first characters of the key
    """
    permissions: Literal['full', 'execution'] | str
    """
    `full`: the key has every scope; otherwise `execution`. `scopes` has the exact rights
    """
    mode: Literal['live', 'test'] | str
    """
    `test`: the key has its own executions, files, webhooks and test balance, and runs only sandbox models
    """
    scopes: list[Literal['executions:write', 'executions:read', 'files', 'webhooks', 'keys', 'balance', 'portal'] | str]
    """
    What the key may do. Any key may read models
    """
    expires_at: AwareDatetime | None
    models: list[str]
    """
    Slugs of the models that the key may use; it reads only their executions, events and deliveries. Empty: all models
    """
    addresses: list[str]
    """
    Addresses and CIDR ranges that the key may be used from; empty: all
    """
    created_at: AwareDatetime
    """
    When the key was created
    """
    revoked_at: AwareDatetime | None
    spend_limit: SpendLimit | None
    """
    Monthly spend limit; null: no limit
    """


class CreatedApiKey(ApiObject):
    id: str
    """
    Id
    """
    name: str
    prefix: str
    """
    The first characters of the key
    """
    permissions: Literal['full', 'execution'] | str
    """
    `full`: the key has every scope; otherwise `execution`. `scopes` has the exact rights
    """
    mode: Literal['live', 'test'] | str
    """
    `test`: the key has its own executions, files, webhooks and test balance, and runs only sandbox models
    """
    scopes: list[Literal['executions:write', 'executions:read', 'files', 'webhooks', 'keys', 'balance', 'portal'] | str]
    """
    What the key may do. Any key may read models
    """
    expires_at: AwareDatetime | None
    models: list[str]
    """
    Slugs of the models that the key may use; it reads only their executions, events and deliveries. Empty: all models
    """
    addresses: list[str]
    """
    Addresses and CIDR ranges that the key may be used from; empty: all
    """
    key: str
    """
    The key. Returned only once
    """
    created_at: AwareDatetime
    """
    When the key was created
    """


class RotatedApiKey(ApiObject):
    id: str
    """
    Id
    """
    name: str
    prefix: str
    """
    The first characters of the key
    """
    permissions: Literal['full', 'execution'] | str
    """
    `full`: the key has every scope; otherwise `execution`. `scopes` has the exact rights
    """
    mode: Literal['live', 'test'] | str
    """
    `test`: the key has its own executions, files, webhooks and test balance, and runs only sandbox models
    """
    scopes: list[Literal['executions:write', 'executions:read', 'files', 'webhooks', 'keys', 'balance', 'portal'] | str]
    """
    What the key may do. Any key may read models
    """
    expires_at: AwareDatetime | None
    models: list[str]
    """
    Slugs of the models that the key may use; it reads only their executions, events and deliveries. Empty: all models
    """
    addresses: list[str]
    """
    Addresses and CIDR ranges that the key may be used from; empty: all
    """
    new_key: str
    """
    The new value. Returned only once
    """
    previous_key_valid_until: AwareDatetime
    """
    When the previous value stops working: one hour after the rotation
    """


class RevokedApiKey(ApiObject):
    id: str
    """
    Id
    """
    revoked: Literal[True] = True


class PortalSession(ApiObject):
    id: str
    """
    Id
    """
    url: str
    """
    The link, for one use. Relative if an operator created it and the service has no PUBLIC_URL. Never log it
    """
    url_expires_at: AwareDatetime
    """
    When the link expires unless it is used: after 10 minutes
    """
    capabilities: list[Literal['executions', 'webhooks', 'keys', 'usage', 'topup'] | str]
    """
    What the session may show and change: `executions` (read, cancel), `webhooks` (endpoints and deliveries), `keys` (API keys), `usage` (balance and usage), `topup` (a link to the payment page, where the operator has one)
    """
    expires_in_s: int


class RevokedPortalSession(ApiObject):
    id: str
    """
    Id
    """
    revoked: Literal[True] = True


class CreateExecution(ApiObject):
    model_config = ConfigDict(
        extra='forbid',
    )
    model: str
    """
    Model slug
    """
    input: dict[str, Any]
    webhook_url: str | None = None
    """
    Receives the final event of this execution
    """
    metadata: dict[str, Any] | None = None
    """
    Your own data, returned in the record. At most 16 KiB of JSON
    """
    priority: Literal['high', 'normal', 'low'] | str | None = None
    """
    Which of your pending executions start first; default `normal`
    """
    timeout_seconds: int | None = None
    """
    Seconds until the execution expires; default: the model's timeout
    """
    stream: bool | None = None
    """
    Shows the output while it is made (`urls.stream`). Only for models that stream; see `on_cancel` of the model for what a cancel then costs
    """


class BulkCancelFilter(ApiObject):
    """
    Executions that match every field, at least one. Others than PENDING, PROCESSING, AWAITING_WEBHOOK are left as they are
    """

    model_config = ConfigDict(
        extra='forbid',
    )
    ids: list[str] | None = None
    status: list[Literal['PENDING', 'PROCESSING', 'AWAITING_WEBHOOK'] | str] | None = (
        None
    )
    model: str | None = None
    """
    Model slug
    """
    error_code: list[Literal['INPUT_VALIDATION_ERROR', 'CONTENT_MODERATION_REJECTED', 'FILE_NOT_FOUND', 'FILE_FORMAT_UNSUPPORTED', 'INSUFFICIENT_BALANCE', 'RATE_LIMITED', 'MODEL_OVERLOADED', 'MODEL_UNAVAILABLE', 'GENERATION_TIMEOUT', 'GENERATION_FAILED', 'SERVICE_UNAVAILABLE', 'INTERNAL_ERROR'] | str] | None = (
        None
    )
    """
    Only executions that ended with one of these
    """
    metadata: MetadataFilter | None = None
    """
    Only executions whose metadata has this member, with this value as text
    """
    created_after: AwareDatetime | str | None = None
    """
    Only executions created after this time
    """
    created_before: AwareDatetime | str | None = None
    """
    Only executions created before this time
    """


class BulkRerun(ApiObject):
    model_config = ConfigDict(
        extra='forbid',
    )
    filter: BulkRerunFilter
    dry_run: bool | None = None
    """
    Only counts the executions that match. Default: `false`
    """
    cursor: str | None = None
    """
    `next_cursor` of the previous response
    """


class CreateBatch(ApiObject):
    model_config = ConfigDict(
        extra='forbid',
    )
    model: str | None = None
    """
    Model slug of items without one
    """
    defaults: BatchItemDefaults | None = None
    metadata: dict[str, Any] | None = None
    """
    Your own data, returned in the record. At most 16 KiB of JSON
    """
    webhook_url: str | None = None
    """
    Receives the events of the batch
    """
    max_cost: str | None = None
    """
    Pauses before an item whose hold, with what was charged and is held, would exceed this
    """
    on_insufficient_balance: Literal['pause', 'cancel'] | str | None = None
    """
    `pause`: goes on by itself after a top-up; `cancel`: cancels the items that wait. Default: `"pause"`
    """
    completion_window_s: int | None = None
    """
    Seconds from the seal until items that still wait expire. Default: `86400`
    """
    events: Literal['none', 'failed', 'all'] | str | None = None
    """
    Which events its executions have: none, those of failed and expired ones, or all. Default: `"none"`
    """
    reserve: bool | None = None
    """
    Takes the holds of all items from the balance at the seal, at most `max_cost`. Default: `false`
    """


class RetryBatch(ApiObject):
    model_config = ConfigDict(
        extra='forbid',
    )
    filter: RetryBatchFilter


class UploadRequest(RootModel[DeclaredUpload | DerivedUpload]):
    root: DeclaredUpload | DerivedUpload


class PortalSessionRequest(ApiObject):
    model_config = ConfigDict(
        extra='forbid',
    )
    capabilities: list[Literal['executions', 'webhooks', 'keys', 'usage', 'topup'] | str]
    """
    What the session may show and change: `executions` (read, cancel), `webhooks` (endpoints and deliveries), `keys` (API keys), `usage` (balance and usage), `topup` (a link to the payment page, where the operator has one)
    """
    expires_in_s: int | None = None
    """
    Seconds from the use of the link until the session ends. Default: `3600`
    """
    frame_ancestors: list[str] | None = None
    """
    Origins of the pages that may show the portal in a frame; empty: none. Default: `[]`
    """
    theme: PortalTheme | None = None
    """
    How the portal looks
    """
    return_url: str | None = None
    """
    Where the portal leads back to
    """


class RequestError(ApiObject):
    code: Literal['INPUT_VALIDATION_ERROR', 'CONTENT_MODERATION_REJECTED', 'FILE_NOT_FOUND', 'FILE_FORMAT_UNSUPPORTED', 'INSUFFICIENT_BALANCE', 'RATE_LIMITED', 'MODEL_OVERLOADED', 'MODEL_UNAVAILABLE', 'GENERATION_TIMEOUT', 'GENERATION_FAILED', 'SERVICE_UNAVAILABLE', 'INTERNAL_ERROR', 'UNAUTHENTICATED', 'SPEND_LIMIT_REACHED', 'FORBIDDEN', 'NOT_FOUND', 'METHOD_NOT_ALLOWED', 'REQUEST_TIMEOUT', 'EXECUTION_NOT_READY', 'EXECUTION_NOT_COMPLETED', 'EXECUTION_ALREADY_TERMINAL', 'EXECUTION_NOT_TERMINAL', 'BATCH_STATUS_CONFLICT', 'API_KEY_LIMIT_REACHED', 'REVIEW_ALREADY_DECIDED', 'MODEL_CHANGED', 'EXECUTION_ERASED', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'IDEMPOTENCY_KEY_REUSED', 'INSUFFICIENT_STORAGE'] | str
    message: str
    """
    For people; do not parse it
    """
    retryable: bool
    """
    Whether the same request may succeed later
    """
    request_id: str
    details: list[ErrorDetail]
    """
    The invalid fields, if any
    """
    doc_url: str
    """
    A page about this code
    """


class ExecutionPage(ApiObject):
    data: list[Execution]
    has_more: bool
    """
    Whether there are more items
    """
    next_cursor: str | None
    """
    Pass it as `cursor` to get the next page; null on the last page
    """


class Estimate(ApiObject):
    model: str
    """
    Model slug
    """
    estimated_cost: str
    """
    The expected cost: the sum of `items`, rounded up
    """
    hold_amount: str
    """
    The amount that creating the execution would hold
    """
    currency: Literal['USD'] = 'USD'
    items: list[EstimateItem]
    """
    One item per price of the model
    """
    hold: HoldRule


class BulkRerunResult(ApiObject):
    matched: int
    """
    Executions of this part that match
    """
    created: int
    """
    Executions created now
    """
    replayed: int
    """
    Those that an earlier request with this key had created
    """
    executions: list[BulkRerunExecution]
    skipped: list[BulkRerunSkipped]
    """
    Originals that cannot run again, and why
    """
    has_more: bool
    """
    Whether there are more items
    """
    next_cursor: str | None
    """
    Pass it as `cursor` to get the next page; null on the last page
    """


class Batch(ApiObject):
    id: str
    """
    Id
    """
    status: Literal['open', 'running', 'paused', 'finishing', 'completed', 'cancelled', 'expired'] | str
    """
    `open` takes items; `running`; `paused`, see `reason`; `finishing`: no more items start, and the last ones end; then `completed`, `cancelled` or `expired`
    """
    reason: Literal['insufficient_balance', 'spend_limit', 'max_cost', 'requested', 'input_errors'] | str | None
    """
    Why it is paused; `input_errors`: why it was cancelled
    """
    ends_as: Literal['completed', 'cancelled', 'expired'] | str | None
    """
    What it becomes, or became, at its end; null before
    """
    model: str | None
    """
    Of items without one
    """
    defaults: dict[str, Any] | None
    metadata: dict[str, Any] | None
    """
    As submitted
    """
    webhook_url: str | None
    max_cost: str | None
    on_insufficient_balance: Literal['pause', 'cancel'] | str
    completion_window_s: int
    events: Literal['none', 'failed', 'all'] | str
    """
    Which events its executions have
    """
    reserve: bool
    counts: BatchCounts
    cost: str
    """
    What was charged for its items
    """
    held: str
    """
    What is held for the items that run
    """
    reserved: str
    """
    What is left of its reservation
    """
    output_file_id: str
    """
    Its completed items as NDJSON, readable while it runs
    """
    error_file_id: str
    """
    Its other ended items as NDJSON
    """
    created_at: AwareDatetime
    """
    When it was created
    """
    sealed_at: AwareDatetime | None
    expires_at: AwareDatetime
    """
    When items that still wait expire
    """
    ended_at: AwareDatetime | None
    estimated_end_at: AwareDatetime | None
    erased_at: AwareDatetime | None


class BatchPage(ApiObject):
    data: list[Batch]
    has_more: bool
    """
    Whether there are more items
    """
    next_cursor: str | None
    """
    Pass it as `cursor` to get the next page; null on the last page
    """


class BatchItem(ApiObject):
    custom_id: str
    status: Literal['waiting', 'running', 'completed', 'failed', 'cancelled', 'expired'] | str
    model: str
    execution_id: str | None
    """
    The execution that runs it, or ran it last; null: it had none
    """
    estimated_cost: str
    """
    The expected cost
    """
    hold_amount: str
    """
    What is held while it runs
    """
    cost: str | None
    error: BatchItemError | None
    """
    Why it failed or expired
    """


class PriceEntry(ApiObject):
    unit: Literal['run', 'second', 'image', 'megapixel', 'input_token', 'output_token', 'character', 'input_second', 'input_megapixel', 'unit'] | str
    """
    What is priced
    """
    input: str | None = None
    """
    The input property with the text, the files or the number; of units of the input
    """
    rows: list[PriceRow]
    """
    The first row that fits the input applies. One row if the price does not depend on the input
    """


class Balance(ApiObject):
    available: str
    """
    Available for new executions
    """
    held: str
    """
    Reserved by open executions
    """
    total: str
    """
    `available` plus `held`
    """
    currency: Literal['USD'] = 'USD'
    spend_limit: SpendLimit | None
    """
    Monthly spend limit; null: no limit
    """


class TransactionPage(ApiObject):
    data: list[Transaction]
    has_more: bool
    """
    Whether there are more items
    """
    next_cursor: str | None
    """
    Pass it as `cursor` to get the next page; null on the last page
    """


class Usage(ApiObject):
    from_: Annotated[AwareDatetime, Field(alias='from')]
    """
    Start of the period, inclusive, by completion time
    """
    to: AwareDatetime
    """
    End of the period, exclusive
    """
    group_by: Literal['model', 'day', 'api_key', 'metadata'] | str
    """
    What the rows are grouped by
    """
    data: list[UsageRow]
    """
    One row per model, day, key or value with executions, in order; values in order of cost
    """
    counted_since: AwareDatetime | None = None
    """
    With `group_by=metadata`. Null: all are counted
    """
    total: UsageTotal


class WebhookEndpointPage(ApiObject):
    endpoints: list[WebhookEndpoint]
    has_more: bool
    """
    Whether there are more items
    """
    next_cursor: str | None
    """
    Pass it as `cursor` to get the next page; null on the last page
    """


class WebhookEndpointActivity(ApiObject):
    hours: list[WebhookEndpointHour]
    """
    The last 24 hours, oldest first
    """
    counted_since: AwareDatetime | None
    """
    Null: the deliveries of all hours are counted
    """


class WebhookEndpointBacklog(ApiObject):
    deactivated_at: AwareDatetime | None
    """
    Null: the endpoint is active, or was turned off by a request
    """
    waiting: int
    """
    Pending deliveries, counted up to 10,000
    """
    has_more_waiting: bool
    """
    Whether more deliveries are pending than were counted
    """
    last_attempts: list[LastDeliveryAttempt]
    """
    The last attempt of each of up to five deliveries, newest first
    """


class Delivery(ApiObject):
    id: str
    """
    Id
    """
    endpoint_id: str | None
    """
    Null for the `webhook_url` of an execution
    """
    url: str
    event_id: str
    """
    Id
    """
    event_type: str
    execution_id: str | None
    """
    Null when the event is about an endpoint
    """
    about_endpoint_id: str | None
    """
    The endpoint that the event is about, if any
    """
    status: Literal['pending', 'delivered', 'failed', 'expired'] | str
    attempts: list[DeliveryAttempt]
    """
    At most the last 50
    """
    next_attempt_at: AwareDatetime | None
    created_at: AwareDatetime
    """
    When it was created
    """
    expires_at: AwareDatetime
    """
    When it expires if it has not succeeded
    """
    finished_at: AwareDatetime | None


class ExecutionStartedEvent(ApiObject):
    id: str
    """
    The same in every attempt: drop ids that you have already seen
    """
    type: Literal['execution.started'] = 'execution.started'
    event_type: Literal['execution.started'] = 'execution.started'
    """
    The same as `type`
    """
    timestamp: AwareDatetime
    """
    When it happened
    """
    version: Literal['1.0'] = '1.0'
    organization_id: str
    """
    Id
    """
    test: Literal[True] | None = None
    """
    Nothing has happened: it was sent by `POST /v1/webhooks/endpoints/{id}/test`
    """
    execution_id: str
    """
    Id
    """
    truncated: Literal[True] | None = None
    """
    The full event would exceed 256 KiB: read the execution instead
    """
    data: Execution | ExecutionReference
    """
    The execution, as `GET /v1/executions/{id}` returned it then, without `logs` and `urls`. Only its id and status with `payload: "thin"`, and when the event is `truncated`
    """


class EndpointFailingEvent(ApiObject):
    id: str
    """
    The same in every attempt: drop ids that you have already seen
    """
    type: Literal['endpoint.failing'] = 'endpoint.failing'
    event_type: Literal['endpoint.failing'] = 'endpoint.failing'
    """
    The same as `type`
    """
    timestamp: AwareDatetime
    """
    When it happened
    """
    version: Literal['1.0'] = '1.0'
    organization_id: str
    """
    Id
    """
    test: Literal[True] | None = None
    """
    Nothing has happened: it was sent by `POST /v1/webhooks/endpoints/{id}/test`
    """
    endpoint_id: str
    """
    The endpoint that the event is about
    """
    data: WebhookEndpointState


class BatchCompletedEvent(ApiObject):
    id: str
    """
    The same in every attempt: drop ids that you have already seen
    """
    type: Literal['batch.completed'] = 'batch.completed'
    event_type: Literal['batch.completed'] = 'batch.completed'
    """
    The same as `type`
    """
    timestamp: AwareDatetime
    """
    When it happened
    """
    version: Literal['1.0'] = '1.0'
    organization_id: str
    """
    Id
    """
    test: Literal[True] | None = None
    """
    Nothing has happened: it was sent by `POST /v1/webhooks/endpoints/{id}/test`
    """
    batch_id: str
    """
    Id
    """
    data: BatchState


class WebhookTestEvent(ApiObject):
    """
    Sent by `POST /v1/webhooks/endpoints/{id}/test`
    """

    id: str
    """
    The same in every attempt: drop ids that you have already seen
    """
    type: Literal['webhook.test'] = 'webhook.test'
    event_type: Literal['webhook.test'] = 'webhook.test'
    """
    The same as `type`
    """
    timestamp: AwareDatetime
    """
    When it happened
    """
    version: Literal['1.0'] = '1.0'
    organization_id: str
    """
    Id
    """
    data: WebhookTestData


class ApiKeyPage(ApiObject):
    data: list[ApiKey]
    has_more: bool
    """
    Whether there are more items
    """
    next_cursor: str | None
    """
    Pass it as `cursor` to get the next page; null on the last page
    """


class BulkCancel(ApiObject):
    model_config = ConfigDict(
        extra='forbid',
    )
    filter: BulkCancelFilter
    dry_run: bool | None = None
    """
    Only counts the executions that match. Default: `false`
    """
    cursor: str | None = None
    """
    `next_cursor` of the previous response
    """


class ErrorResponse(ApiObject):
    error: RequestError


class BatchItemPage(ApiObject):
    data: list[BatchItem]
    has_more: bool
    """
    Whether there are more items
    """
    next_cursor: str | None
    """
    Pass it as `cursor` to get the next page; null on the last page
    """


class ModelPrice(ApiObject):
    currency: Literal['USD'] = 'USD'
    entries: list[PriceEntry]
    """
    All prices of the model; a run costs their sum
    """
    per_run: str | None = None
    """
    Per run, if it does not depend on the input, like those below
    """
    per_second: str | None = None
    """
    Per second of the output, or of the run
    """
    per_image: str | None = None
    """
    Per image
    """
    per_megapixel: str | None = None
    """
    Per million output pixels
    """
    per_input_token: str | None = None
    """
    Per input token
    """
    per_output_token: str | None = None
    """
    Per output token
    """


class DeliveryPage(ApiObject):
    deliveries: list[Delivery]
    has_more: bool
    """
    Whether there are more items
    """
    next_cursor: str | None
    """
    Pass it as `cursor` to get the next page; null on the last page
    """


class Model(ApiObject):
    slug: str
    display_name: str
    description: str
    price: ModelPrice
    timeout_seconds: int
    """
    Seconds until an execution expires, unless the request sets `timeout_seconds`
    """
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]
    stream: Literal['text', 'json', 'audio', 'image'] | str | None
    """
    What the model shows while it runs, to executions with `stream: true`; null: nothing
    """
    on_cancel: Literal['release', 'charge'] | str | None
    """
    What a cancel of a stream costs after output was shown: nothing (`release`), or what was shown (`charge`)
    """


class ModelList(ApiObject):
    data: list[Model]
