"""For FastAPI."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from fastapi import HTTPException, Request

from ..errors import WebhookVerificationError
from ..webhooks import WebhookEvent, secrets_of, unwrap


def verified_event(secret: str | Sequence[str]) -> Callable[[Request], Awaitable[WebhookEvent]]:
    """A dependency: `event: Annotated[WebhookEvent, Depends(verified_event(secret))]`. It reads the raw body."""
    secrets = secrets_of(secret)

    async def event_of(request: Request) -> WebhookEvent:
        try:
            return unwrap(await request.body(), request.headers, secrets)
        except WebhookVerificationError as error:
            raise HTTPException(401, str(error)) from error

    # Deferred annotations would hide the type of the request from FastAPI.
    event_of.__annotations__["request"] = Request
    return event_of
