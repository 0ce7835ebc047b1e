from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import django
import pytest
from django.conf import settings
from django.test import Client as DjangoClient
from django.urls import path
from fastapi import Depends, FastAPI
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
