from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from holdfast import UnknownEvent, WebhookVerificationError
from holdfast.models import Execution, ExecutionCompletedEvent, ExecutionReference
from holdfast.webhooks import sign, unwrap

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
BODY = json.dumps({"id": "evt_1", "type": "execution.completed", "data": {"id": "exec_1", "status": "COMPLETED"}})
DEEP = '{"a":' * 100_000


def test_a_signed_body_becomes_its_event():
    event = unwrap(BODY.encode(), sign(BODY, SECRET), SECRET)
    assert isinstance(event, ExecutionCompletedEvent)
    assert event.id == "evt_1"


def test_the_data_of_an_event_is_an_execution_or_of_a_thin_one_a_reference():
    document = json.loads((Path(__file__).parents[3] / "docs/openapi.json").read_text())
    example = document["components"]["schemas"]["ExecutionCompletedEvent"]["example"]
    thin = {**example, "data": {"id": "exec_1", "status": "COMPLETED"}}
    for sent, expected in ((example, Execution), (thin, ExecutionReference)):
        body = json.dumps(sent)
        event = unwrap(body, sign(body, SECRET), SECRET)
        assert isinstance(event, ExecutionCompletedEvent)
        assert type(event.data) is expected


def test_the_signature_of_standard_webhooks_is_the_one_of_its_specification():
    headers = sign('{"test": 2432232314}', SECRET, event_id="msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp=1614265330)
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.parametrize("kept", ["webhook", "x-signature"])
def test_either_signature_alone_is_enough(kept: str):
    headers = {name.title(): value for name, value in sign(BODY, SECRET).items() if name.startswith(kept)}
    assert unwrap(BODY, headers, SECRET).type == "execution.completed"


def test_a_header_may_be_a_list():
    headers = {name: [value, "other"] for name, value in sign(BODY, SECRET).items()}
    assert unwrap(BODY, headers, SECRET).type == "execution.completed"


def test_signed_headers_have_the_id_of_the_body_or_a_new_one():
    assert sign(BODY, SECRET)["webhook-id"] == "evt_1"
    ids = [sign("{}", SECRET)["webhook-id"] for _ in range(2)]
    assert ids[0] != ids[1]
    assert re.fullmatch(r"evt_[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}", ids[0])


def test_both_secrets_are_accepted_during_a_rotation():
    assert unwrap(BODY, sign(BODY, OTHER), [SECRET, OTHER]).type == "execution.completed"


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (BODY + " ", sign(BODY, SECRET)),
        (BODY, sign(BODY, OTHER)),
        (BODY, {}),
        (BODY, sign(BODY, SECRET, timestamp=int(time.time()) - 400)),
        (BODY, sign(BODY, SECRET, timestamp=int(time.time()) + 400)),
        (BODY, {**sign(BODY, SECRET), "webhook-timestamp": "nan"}),
        (BODY, {**sign(BODY, SECRET), "webhook-signature": "v1,é v1"}),
        ("[1]", sign("[1]", SECRET)),
        ("no json", sign("no json", SECRET)),
        (DEEP, sign(DEEP, SECRET)),
    ],
)
def test_what_is_not_authentic_is_refused(body: str, headers: dict[str, str]):
    with pytest.raises(WebhookVerificationError):
        unwrap(body, headers, SECRET)


def test_an_event_of_a_later_version_is_kept_as_it_came():
    body = json.dumps({"id": "evt_2", "type": "execution.paused", "data": {"new": 1}})
    event: Any = unwrap(body, sign(body, SECRET), SECRET)
    assert isinstance(event, UnknownEvent)
    assert event.data == {"new": 1}


@pytest.mark.parametrize("secret", ["", "sk_1", "whsec_", "whsec_%"])
def test_a_text_that_is_no_secret_is_an_error_of_the_caller(secret: str):
    with pytest.raises(ValueError, match="whsec_"):
        unwrap(BODY, {}, secret)


def test_a_parsed_body_is_an_error_of_the_caller():
    parsed: Any = {"id": "evt_1"}
    with pytest.raises(TypeError, match="raw bytes"):
        unwrap(parsed, {}, SECRET)
