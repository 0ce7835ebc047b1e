"""For FastAPI."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from fastapi import HTTPException, Request

from ..errors import WebhookVerificationError
from ..webhooks import WebhookEvent, check_request, secrets_of, unwrap


async def _body_of(request: Request) -> bytes:
    length = request.headers.get("content-length", "")
    check_request(request.headers, int(length) if length.isdecimal() else None)
    if length:
        return await request.body()
    content = b""
    async for chunk in request.stream():
        content += chunk
        check_request(request.headers, len(content))
    return content


def verified_event(secret: str | Sequence[str]) -> Callable[[Request], Awaitable[WebhookEvent]]:
    """A dependency: `event: Annotated[WebhookEvent, Depends(verified_event(secret))]`. It reads the raw body."""
    secrets = secrets_of(secret)

    async def event_of(request: Request) -> WebhookEvent:
        try:
            return unwrap(await _body_of(request), request.headers, secrets)
        except WebhookVerificationError as error:
            raise HTTPException(401, str(error)) from error

    # Deferred annotations would hide the type of the request from FastAPI.
    event_of.__annotations__["request"] = Request
    return event_of
