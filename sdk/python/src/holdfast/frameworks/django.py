"""For Django."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from ..errors import WebhookVerificationError
from ..webhooks import WebhookEvent, check_request, secrets_of, unwrap


def webhook_view(
    secret: str | Sequence[str], on_event: Callable[[WebhookEvent], object]
) -> Callable[[HttpRequest], HttpResponse]:
    """A view: `path("hooks", webhook_view(secret, on_event))`."""
    secrets = secrets_of(secret)

    @csrf_exempt
    @require_POST
    def view(request: HttpRequest) -> HttpResponse:
        try:
            # Django itself bounds the body.
            check_request(request.headers)
            event = unwrap(request.body, request.headers, secrets)
        except WebhookVerificationError as error:
            return HttpResponse(str(error), status=401)
        on_event(event)
        return HttpResponse(status=204)

    return view
