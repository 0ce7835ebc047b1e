"""Verifies webhooks. The handlers for web frameworks are in `holdfast.frameworks`."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union, cast

from .base import ApiObject, parse
from .errors import WebhookVerificationError
from .models import (
    BatchCancelledEvent,
    BatchCompletedEvent,
    BatchExpiredEvent,
    BatchPausedEvent,
    EndpointDeactivatedEvent,
    EndpointFailingEvent,
    EndpointRecoveredEvent,
    ExecutionCancelledEvent,
    ExecutionCompletedEvent,
    ExecutionExpiredEvent,
    ExecutionFailedEvent,
    ExecutionStartedEvent,
    WebhookTestEvent,
)


Headers = Mapping[str, Union[str, Sequence[str]]]
"""The headers of a request; of a list, the first value counts."""

# Several times what Holdfast sends at most.
_MAX_BODY = 1_048_576


class UnknownEvent(ApiObject):
    """An event of a later version of the service: ignore it."""

    type: str


WebhookEvent = Union[
    ExecutionStartedEvent,
    ExecutionCompletedEvent,
    ExecutionFailedEvent,
    ExecutionCancelledEvent,
    ExecutionExpiredEvent,
    EndpointFailingEvent,
    EndpointDeactivatedEvent,
    EndpointRecoveredEvent,
    BatchCompletedEvent,
    BatchPausedEvent,
    BatchCancelledEvent,
    BatchExpiredEvent,
    WebhookTestEvent,
    UnknownEvent,
]
"""An event, told apart by its class or its `type`."""

_EVENTS: Mapping[str, type[ApiObject]] = {
    "execution.started": ExecutionStartedEvent,
    "execution.completed": ExecutionCompletedEvent,
    "execution.failed": ExecutionFailedEvent,
    "execution.cancelled": ExecutionCancelledEvent,
    "execution.expired": ExecutionExpiredEvent,
    "endpoint.failing": EndpointFailingEvent,
    "endpoint.deactivated": EndpointDeactivatedEvent,
    "endpoint.recovered": EndpointRecoveredEvent,
    "batch.completed": BatchCompletedEvent,
    "batch.paused": BatchPausedEvent,
    "batch.cancelled": BatchCancelledEvent,
    "batch.expired": BatchExpiredEvent,
    "webhook.test": WebhookTestEvent,
}


def parse_event(body: Mapping[str, Any]) -> WebhookEvent:
    return cast("WebhookEvent", parse(_EVENTS.get(str(body.get("type")), UnknownEvent), body))


def unwrap(
    raw_body: bytes | str,
    headers: Headers,
    secret: str | Sequence[str],
    *,
    tolerance: float = 300,
) -> WebhookEvent:
    """Verifies a webhook and returns its event. `raw_body`: as it arrived, for JSON that was parsed and written again has
    other bytes. During a rotation pass both secrets. `tolerance`: seconds by which the time of the signature may differ
    from now.

    Raises WebhookVerificationError if it is not authentic or too old, TypeError if the body was parsed already, ValueError
    if a secret is missing or no `whsec_…`.
    """
    if not isinstance(raw_body, (bytes, str)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError("The body must be the raw bytes of the request.")
    body = raw_body.encode() if isinstance(raw_body, str) else raw_body
    secrets = secrets_of(secret)
    _check_signature(body, _read_signature(headers), secrets, tolerance)
    try:
        event: Any = json.loads(body.decode())
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        raise WebhookVerificationError("The body is not JSON.")
    return parse_event(cast("dict[str, Any]", event))


def secrets_of(secret: str | Sequence[str]) -> list[str]:
    """One secret, or several during a rotation. Raises ValueError if one is missing or no `whsec_…`."""
    secrets = [secret] if isinstance(secret, str) else list(secret or ())
    if not secrets or not all(secrets):
        raise ValueError("The secret of the endpoint is missing: set its whsec_… (is the environment variable set?).")
    for one in secrets:
        _key_of(one)
    return secrets


def check_request(headers: Headers, size: int | None = None) -> None:
    """Raises WebhookVerificationError for a request whose body is not worth reading: without a signature, or larger than any
    webhook."""
    _read_signature(headers)
    if size is not None and size > _MAX_BODY:
        raise WebhookVerificationError("The body is larger than any webhook.")


def sign(
    body: str | bytes, secret: str, *, event_id: str | None = None, timestamp: int | None = None
) -> dict[str, str]:
    """The headers with which Holdfast would send this body: for tests of your receiver. `event_id`: by default the `id` in
    the body, or a new one."""
    raw = body.encode() if isinstance(body, str) else body
    event_id = event_id or _id_in(raw) or f"evt_{uuid.uuid4()}"
    at = str(int(time.time()) if timestamp is None else timestamp)
    return {
        "content-type": "application/json",
        "x-signature-timestamp": at,
        "x-signature": _digest(secret.encode(), f"{at}.", raw).hex(),
        "webhook-id": event_id,
        "webhook-timestamp": at,
        "webhook-signature": f"v1,{_base64(_digest(_key_of(secret), f'{event_id}.{at}.', raw))}",
    }


def _id_in(body: bytes) -> str | None:
    try:
        found: Any = json.loads(body)["id"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return found if isinstance(found, str) else None


@dataclass(frozen=True)
class _Signature:
    at: str
    text: str
    event_id: str | None
    """None: the signature is `X-Signature`."""


def _read_signature(headers: Headers) -> _Signature:
    values = {name.lower(): value if isinstance(value, str) else next(iter(value), "") for name, value in headers.items()}
    # Standard Webhooks if the request has it: it allows a rotation without a gap.
    event_id, text, at = (values.get(f"webhook-{name}") for name in ("id", "signature", "timestamp"))
    if event_id and text and at:
        return _Signature(at, text, event_id)
    text, at = values.get("x-signature"), values.get("x-signature-timestamp")
    if text and at:
        return _Signature(at, text, None)
    raise WebhookVerificationError("The request has no signature.")


def _check_signature(body: bytes, signature: _Signature, secrets: Sequence[str], tolerance: float) -> None:
    at = signature.at
    if signature.event_id:
        keys = [_key_of(one) for one in secrets]
        expected = [f"v1,{_base64(_digest(key, f'{signature.event_id}.{at}.', body))}" for key in keys]
        signatures = signature.text.split(" ")
    else:
        expected = [_digest(one.encode(), f"{at}.", body).hex() for one in secrets]
        signatures = [signature.text.lower()]
    if not re.fullmatch(r"[0-9]{1,12}", at) or not abs(time.time() - int(at)) <= tolerance:
        raise WebhookVerificationError("The signature is too old, or the clock of this machine is wrong.")
    matches = [hmac.compare_digest(one.encode(), other.encode()) for one in signatures for other in expected]
    if not any(matches):
        raise WebhookVerificationError("The signature does not match the body and the secret.")


def _digest(key: bytes, text: str, body: bytes) -> bytes:
    return hmac.new(key, text.encode() + body, hashlib.sha256).digest()


def _base64(digest: bytes) -> str:
    return base64.b64encode(digest).decode()


def _key_of(secret: str) -> bytes:
    """`X-Signature` is keyed with the whole text, Standard Webhooks with the bytes behind the prefix."""
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        key = b""
    if not secret.startswith("whsec_") or not key:
        raise ValueError("The secret of a webhook begins with whsec_.")
    return key
