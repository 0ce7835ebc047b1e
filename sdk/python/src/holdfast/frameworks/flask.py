"""For Flask."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flask import Response, request

from ..errors import WebhookVerificationError
from ..webhooks import WebhookEvent, check_request, secrets_of, unwrap


def _body() -> bytes:
    headers = dict(request.headers)
    check_request(headers, request.content_length)
    if request.content_length is not None:
        return request.get_data()
    content = b""
    while chunk := request.stream.read(65_536):
        content += chunk
        check_request(headers, len(content))
    return content


def webhook_view(secret: str | Sequence[str], on_event: Callable[[WebhookEvent], object]) -> Callable[[], Response]:
    """A view: `app.add_url_rule("/hooks", view_func=webhook_view(secret, on_event), methods=["POST"])`."""
    secrets = secrets_of(secret)

    def view() -> Response:
        try:
            event = unwrap(_body(), dict(request.headers), secrets)
        except WebhookVerificationError as error:
            return Response(str(error), 401)
        on_event(event)
        return Response(status=204)

    return view
