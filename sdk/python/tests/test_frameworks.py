from __future__ import annotations

import asyncio
import io
from collections.abc import Callable
from typing import Annotated, Any

import django
import pytest
from django.conf import settings
from django.test import Client as DjangoClient
from django.urls import path
from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.testclient import TestClient
from flask import Flask
from holdfast import WebhookEvent
from holdfast.frameworks import django as for_django
from holdfast.frameworks.fastapi import verified_event
from holdfast.frameworks.flask import webhook_view
from holdfast.webhooks import sign

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
BODY = '{"id": "evt_1", "type": "execution.completed", "data": {}}'
HEADERS = {name: value for name, value in sign(BODY, SECRET).items() if name != "content-type"}

received: list[str] = []


def keep(event: WebhookEvent) -> None:
    received.append(event.type)


urlpatterns = [path("hooks", for_django.webhook_view(SECRET, keep))]


@pytest.fixture(autouse=True)
def forget():
    received.clear()


def test_fastapi_gets_the_event_of_an_authentic_request_only():
    app = FastAPI()

    @app.post("/hooks", status_code=204)
    async def hooks(event: Annotated[WebhookEvent, Depends(verified_event(SECRET))]) -> None:  # pyright: ignore[reportUnusedFunction]
        keep(event)

    app.openapi()
    with TestClient(app) as client:
        assert client.post("/hooks", content=BODY, headers=HEADERS).status_code == 204
        assert client.post("/hooks", content=BODY + " ", headers=HEADERS).status_code == 401
    assert received == ["execution.completed"]


def test_flask_gets_the_event_of_an_authentic_request_only():
    app = Flask("test")
    app.add_url_rule("/hooks", view_func=webhook_view(SECRET, keep), methods=["POST"])
    client = app.test_client()
    assert client.post("/hooks", data=BODY, headers=HEADERS).status_code == 204
    assert client.post("/hooks", data=BODY + " ", headers=HEADERS).status_code == 401
    assert received == ["execution.completed"]


class Endless(io.RawIOBase):
    """Counts the bytes that are read from it."""

    def __init__(self) -> None:
        self.bytes_read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self.bytes_read += len(buffer)
        assert self.bytes_read < 10_000_000
        return len(buffer)


@pytest.mark.parametrize(("headers", "limit"), [({}, 0), (HEADERS, 2_000_000)])
def test_a_request_without_a_signature_is_not_read_and_a_large_one_only_in_part(headers: dict[str, str], limit: int):
    stream = Endless()
    app = Flask("test")
    app.add_url_rule("/hooks", view_func=webhook_view(SECRET, keep), methods=["POST"])
    environ = {"wsgi.input": stream, "wsgi.input_terminated": True, "HTTP_TRANSFER_ENCODING": "chunked"}
    response = app.test_client().post("/hooks", headers=headers, environ_overrides=environ)
    assert response.status_code == 401
    assert stream.bytes_read <= limit

    received_bytes = 0

    async def receive() -> dict[str, Any]:
        nonlocal received_bytes
        received_bytes += 65_536
        assert received_bytes < 10_000_000
        return {"type": "http.request", "body": bytes(65_536), "more_body": True}

    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    request = Request({"type": "http", "headers": raw}, receive)
    with pytest.raises(HTTPException):
        asyncio.run(verified_event(SECRET)(request))  # pyright: ignore[reportArgumentType]
    assert received_bytes <= limit


def test_a_body_that_is_declared_too_large_is_not_read():
    app = Flask("test")
    app.add_url_rule("/hooks", view_func=webhook_view(SECRET, keep), methods=["POST"])
    stream = Endless()
    environ = {"wsgi.input": stream, "CONTENT_LENGTH": "2000000"}
    assert app.test_client().post("/hooks", headers=HEADERS, environ_overrides=environ).status_code == 401
    assert stream.bytes_read == 0


@pytest.mark.parametrize(
    "create",
    [verified_event, lambda secret: webhook_view(secret, keep), lambda secret: for_django.webhook_view(secret, keep)],
)
@pytest.mark.parametrize("secret", [None, "", [], [SECRET, None]])
def test_a_receiver_without_a_secret_cannot_be_created(create: Callable[[Any], object], secret: object):
    with pytest.raises(ValueError, match="is missing"):
        create(secret)


def test_django_gets_the_event_of_an_authentic_request_only():
    if not settings.configured:
        settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY="test")
        django.setup()
    client = DjangoClient(enforce_csrf_checks=True)
    kind = "application/json"
    assert client.post("/hooks", BODY, kind, headers=HEADERS).status_code == 204
    assert client.post("/hooks", BODY + " ", kind, headers=HEADERS).status_code == 401
    assert client.get("/hooks").status_code == 405
    assert received == ["execution.completed"]
