from __future__ import annotations

import asyncio
import copy
import json
import os
import pickle
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from holdfast import (
    APIConnectionError,
    AsyncHoldfast,
    BalanceError,
    ExecutionError,
    Holdfast,
    HoldfastError,
    InvalidRequestError,
    NotFoundError,
    OutputFile,
    ServerError,
    WaitTimeoutError,
    models,
)
from holdfast._async import client as async_client
from holdfast._sync import client as sync_client
from holdfast._sync import runtime

EXECUTION = {
    "id": "exec_1",
    "status": "PENDING",
    "model": "m",
    "created_at": "2026-03-20T10:30:00.000Z",
    "expires_at": "2026-03-20T10:40:00.000Z",
}
DONE = {**EXECUTION, "status": "COMPLETED", "completed_at": "2026-03-20T10:31:00.000Z", "result": {"text": "hi"}}

Handler = Callable[[httpx.Request], httpx.Response]


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch):
    def skip(_: float) -> None:
        return None

    monkeypatch.setattr(runtime, "sleep", skip)


def client_of(handler: Handler, **settings: Any) -> Holdfast:
    http_client = httpx.Client(transport=httpx.MockTransport(handler))
    return Holdfast(base_url="http://holdfast.test", api_key="sk_1", http_client=http_client, **settings)


def failing(*failures: httpx.Response | httpx.TransportError, then: dict[str, Any]) -> tuple[Handler, list[httpx.Request]]:
    """Fails in these ways, one after the other, then responds."""
    pending, seen = list(failures), list[httpx.Request]()

    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        if not pending:
            return httpx.Response(200, json=then)
        failure = pending.pop(0)
        if isinstance(failure, httpx.Response):
            return failure
        raise failure

    return handle, seen


def refusal(status: int, code: str, *, retryable: bool = False, **headers: str) -> httpx.Response:
    error = {"code": code, "message": "No.", "retryable": retryable, "request_id": "req_1", "details": []}
    return httpx.Response(status, json={"error": error}, headers=headers)


@pytest.mark.parametrize("details", [["no upstream"], [None], "none"])
def test_an_error_of_a_proxy_in_the_form_of_ours_is_repeated(details: object):
    error = {"code": "upstream_unavailable", "message": "No.", "retryable": True, "details": details}
    handle, seen = failing(httpx.Response(503, json={"error": error}), then={"id": "exec_1", "status": "PENDING"})
    assert client_of(handle).executions.create("m", {}).id == "exec_1"
    assert len(seen) == 2


def test_a_create_that_fails_reports_the_key_to_repeat_it_with():
    handle, _ = failing(*[httpx.ReadError("cut")] * 9, then={})
    with pytest.raises(APIConnectionError) as raised:
        client_of(handle).executions.create("m", {}, idempotency_key="order-1")
    assert raised.value.idempotency_key == "order-1"
    assert raised.value.retryable


@pytest.mark.parametrize(
    ("response", "error"),
    [
        (refusal(400, "INPUT_VALIDATION_ERROR"), InvalidRequestError),
        (refusal(402, "INSUFFICIENT_BALANCE"), BalanceError),
        (refusal(500, "INTERNAL_ERROR"), ServerError),
        (httpx.Response(302, headers={"location": "http://elsewhere.test"}), HoldfastError),
    ],
)
def test_what_a_repetition_cannot_cure_is_sent_once(response: httpx.Response, error: type[HoldfastError]):
    handle, seen = failing(response, then={"id": "exec_1"})
    with pytest.raises(error):
        client_of(handle).executions.create("m", {})
    assert len(seen) == 1


def test_a_request_that_may_have_been_processed_is_not_sent_again_where_that_would_do_it_twice():
    handle, seen = failing(httpx.ReadError("cut"), then={"id": "key_1"})
    with pytest.raises(APIConnectionError):
        client_of(handle).api_keys.create("x")
    assert len(seen) == 1
    handle, seen = failing(httpx.ReadError("cut"), then={"id": "pses_1"})
    with pytest.raises(APIConnectionError):
        client_of(handle).portal_sessions.create(["executions"])
    assert len(seen) == 1
    handle, seen = failing(httpx.ConnectError("refused"), then={"id": "key_1", "key": "sk_2"})
    assert client_of(handle).api_keys.create("x").id == "key_1"
    assert len(seen) == 2


@pytest.mark.parametrize(
    "delete",
    [lambda client: client.webhooks.endpoints.delete("wh_1"), lambda client: client.files.delete("file_1")],
)
def test_a_deletion_succeeds_when_a_try_whose_response_was_lost_has_done_it(delete: Callable[[Holdfast], Any]):
    unknown = refusal(404, "NOT_FOUND")
    handle, seen = failing(httpx.ReadError("cut"), unknown, then={})
    assert delete(client_of(handle)).deleted
    assert len(seen) == 2


@pytest.mark.parametrize(
    "failures",
    [
        [refusal(404, "NOT_FOUND")],
        [refusal(429, "RATE_LIMITED"), refusal(404, "NOT_FOUND")],
        [httpx.ConnectError("refused"), refusal(404, "NOT_FOUND")],
        [httpx.ReadError("cut"), httpx.Response(404, text="<html>a proxy</html>")],
    ],
)
def test_the_deletion_of_an_unknown_endpoint_fails(failures: list[httpx.Response | httpx.TransportError]):
    handle, _ = failing(*failures, then={})
    with pytest.raises(NotFoundError):
        client_of(handle).webhooks.endpoints.delete("wh_1")


@pytest.mark.parametrize(
    ("call", "body"),
    [
        (lambda client: client.balance.get(), {"available": "1.00"}),
        (lambda client: client.usage(), {"data": []}),
        (lambda client: client.files.confirm("file_1"), {"file_id": "file_1"}),
    ],
)
def test_a_request_is_repeated_after_the_json_of_a_proxy(call: Callable[[Holdfast], Any], body: dict[str, Any]):
    handle, seen = failing(httpx.Response(200, json={"status": "ok"}), then=body)
    assert call(client_of(handle)).model_dump(include=set(body)) == body
    assert len(seen) == 2


def test_a_create_of_a_key_fails_with_the_json_of_a_proxy():
    handle, seen = failing(then={"status": "ok"})
    with pytest.raises(APIConnectionError) as raised:
        client_of(handle).api_keys.create("x")
    assert (raised.value.code, len(seen)) == ("INVALID_RESPONSE", 1)


@pytest.mark.parametrize("data", [{}, ["text"], [None]])
def test_a_list_is_read_again_when_its_rows_are_not_objects(data: object):
    handle, seen = failing(httpx.Response(200, json={"data": data}), then={"data": [EXECUTION]})
    assert [one.id for one in client_of(handle).executions.list()] == ["exec_1"]
    assert len(seen) == 2


def test_json_that_is_nested_too_deeply_is_no_response():
    handle, seen = failing(httpx.Response(200, text='{"a":' * 100_000), then={"available": "1.00"})
    assert client_of(handle).balance.get().available == "1.00"
    assert len(seen) == 2


def test_a_token_of_an_execution_is_made():
    handle, seen = failing(then={"token": "ext_1"})
    assert client_of(handle).executions.create_token("exec_1", ttl_seconds=60).token == "ext_1"
    assert (seen[0].url.path, json.loads(seen[0].content)) == ("/v1/executions/exec_1/token", {"ttl_seconds": 60})


def test_a_failed_upload_does_not_wait_for_the_others():
    failed = threading.Event()

    def handle(request: httpx.Request) -> httpx.Response:
        if json.loads(request.content)["size_bytes"] == 1:
            raise httpx.ConnectError("refused")
        failed.wait(5)
        return httpx.Response(500)

    started_at = time.monotonic()
    with pytest.raises(APIConnectionError):
        client_of(handle, max_retries=0).run("m", {"slow": b"ab", "failing": b"a"})
    assert time.monotonic() - started_at < 2
    failed.set()


def test_an_upload_that_an_abort_leaves_behind_does_not_keep_the_process_alive():
    program = """
import threading, httpx
from holdfast import Holdfast

threads = threading.Barrier(2)

def handle(request):
    threads.wait(5)
    if b'"size_bytes":1' in request.content:
        raise KeyboardInterrupt
    threading.Event().wait()

http_client = httpx.Client(transport=httpx.MockTransport(handle))
Holdfast(base_url="http://holdfast.test", api_key="sk_1", http_client=http_client).run("m", {"a": b"a", "b": b"bc"})
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30)
    assert "KeyboardInterrupt" in ended.stderr


def test_a_response_that_comes_too_late_is_closed():
    over, closed = threading.Event(), threading.Event()

    class Body(httpx.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            yield b""

        def close(self) -> None:
            closed.set()

    def handle(_: httpx.Request) -> httpx.Response:
        over.wait(10)
        return httpx.Response(200, stream=Body())

    with pytest.raises(APIConnectionError) as raised:
        client_of(handle, timeout=0.05, max_retries=0).balance.get()
    assert raised.value.code == "REQUEST_TIMED_OUT"
    over.set()
    assert closed.wait(10)


def test_a_pause_beyond_the_deadline_ends_the_repetition():
    handle, seen = failing(refusal(429, "RATE_LIMITED", **{"retry-after": "3600"}), then={"id": "exec_1"})
    with pytest.raises(HoldfastError, match="No"):
        client_of(handle).executions.create("m", {})
    assert len(seen) == 1


def test_a_run_waits_by_requests_that_the_service_holds():
    waits: list[str | None] = []

    def handle(request: httpx.Request) -> httpx.Response:
        if request.method == "POST":
            return httpx.Response(202, json=EXECUTION)
        waits.append(request.url.params.get("wait"))
        return httpx.Response(200, json=[EXECUTION, {**EXECUTION, "status": "NEW ONE"}, DONE][len(waits) - 1])

    run = client_of(handle).run("m", {})
    assert run.output == {"text": "hi"}
    assert waits == ["25", "25", "25"]


@pytest.mark.parametrize("call", ["run", "wait"])
def test_progress_begins_with_the_present_status_where_there_is_no_event_stream(call: str):
    seen: list[str] = []
    seen_by_polls: list[list[str]] = []

    def handle(request: httpx.Request) -> httpx.Response:
        if request.method == "POST" or "wait" not in request.url.params:
            return refusal(404, "NOT_FOUND") if request.url.path.endswith("/events") else httpx.Response(200, json=EXECUTION)
        seen_by_polls.append([*seen])
        return httpx.Response(200, json=EXECUTION if len(seen_by_polls) == 1 else DONE)

    def keep(event: Any) -> None:
        seen.append(event.execution.status)

    client = client_of(handle)
    if call == "run":
        client.run("m", {}, on_progress=keep)
        # The response to a create is not reported: it is a part of the record.
        assert seen_by_polls == [[], ["PENDING"]]
    else:
        client.executions.wait("exec_1", on_progress=keep)
        assert seen_by_polls == [["PENDING"], ["PENDING"]]
    assert seen == ["PENDING", "COMPLETED"]


@pytest.mark.parametrize("call", ["run", "wait"])
def test_the_status_of_an_execution_that_has_ended_before_is_reported(call: str):
    seen: list[str] = []

    def keep(event: Any) -> None:
        seen.append(event.execution.status)

    client = client_of(lambda _: httpx.Response(200, json=DONE))
    if call == "run":
        client.run("m", {}, on_progress=keep)
    else:
        client.executions.wait("exec_1", on_progress=keep)
    assert seen == ["COMPLETED"]


def test_a_time_out_carries_the_execution_and_says_the_time_since_the_start_of_the_run():
    def handle(request: httpx.Request) -> httpx.Response:
        if request.method == "POST":
            time.sleep(0.2)
        return httpx.Response(202 if request.method == "POST" else 200, json=EXECUTION)

    with pytest.raises(WaitTimeoutError, match=r"after 0\.[2-9] s") as raised:
        client_of(handle).run("m", {}, timeout=0)
    assert raised.value.execution.id == "exec_1"
    assert raised.value.idempotency_key


def test_a_failed_execution_is_an_error_with_its_code():
    failure = {"code": "GENERATION_FAILED", "message": "It failed.", "retryable": True}
    handle, _ = failing(httpx.Response(202, json=EXECUTION), then={**DONE, "status": "FAILED", "error": failure})
    with pytest.raises(ExecutionError, match="It failed") as raised:
        client_of(handle).run("m", {})
    assert (raised.value.code, raised.value.retryable) == ("GENERATION_FAILED", True)


def test_an_output_can_be_copied_with_its_files_and_pickled_as_dictionaries():
    output = {"images": [{"file_id": "file_1", "tags": ["a"]}]}
    done = {**DONE, "result": output}
    found = client_of(lambda _: httpx.Response(200, json=done)).run("m", {}).output
    copied = copy.deepcopy(found)
    copied["images"][0]["tags"].append("b")
    assert isinstance(copied["images"][0], OutputFile)
    assert isinstance(copy.copy(found["images"][0]), OutputFile)
    assert found == output
    pickled = pickle.loads(pickle.dumps(found))
    assert (pickled, type(pickled["images"][0])) == (output, dict)


def test_two_reads_of_a_record_are_equal():
    client = client_of(lambda _: httpx.Response(200, json=DONE))
    first = client.executions.get("exec_1")
    assert first == client.executions.get("exec_1")
    assert first != first.model_copy(update={"status": "FAILED"})
    assert first != DONE


def test_the_deliveries_of_an_execution_are_filtered():
    handle, seen = failing(then={"deliveries": []})
    filters = {"status": "FAILED", "event_type": "execution.failed", "created_after": "a", "created_before": "b", "limit": 5}
    assert list(client_of(handle).webhooks.deliveries.list("exec_1", **filters)) == []
    assert dict(seen[0].url.params) == {"execution_id": "exec_1", **filters, "limit": "5"}


def test_the_rotated_secret_of_the_organization_has_no_id():
    handle, _ = failing(then={"secret": "whsec_1", "previous_secret_valid_until": None})
    assert type(client_of(handle).webhooks.rotate_secret()) is models.WebhookSecret


def test_a_list_reads_further_pages_as_they_are_needed():
    def handle(request: httpx.Request) -> httpx.Response:
        cursor = request.url.params.get("cursor")
        rows = [{**EXECUTION, "id": f"exec_{cursor}"}]
        return httpx.Response(200, json={"data": rows, "has_more": cursor is None, "next_cursor": "2"})

    assert [one.id for one in client_of(handle).executions.list()] == ["exec_None", "exec_2"]


def test_an_endless_timeout_waits_until_the_end():
    handle, _ = failing(httpx.Response(202, json=EXECUTION), then=DONE)
    assert client_of(handle).run("m", {}, timeout=float("inf")).output == {"text": "hi"}


@pytest.mark.parametrize("call", ["run", "wait"])
def test_a_cancelled_task_cancels_its_execution_if_asked(call: str):
    cancelled: list[str] = []

    async def handle(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/cancel"):
            cancelled.append(request.url.path)
            return httpx.Response(200, json=EXECUTION)
        if request.method == "GET":
            await asyncio.Event().wait()
        return httpx.Response(202, json=EXECUTION)

    async def main() -> None:
        http_client = httpx.AsyncClient(transport=httpx.MockTransport(handle))
        client = AsyncHoldfast(base_url="http://holdfast.test", api_key="sk_1", http_client=http_client)
        task = asyncio.create_task(
            client.run("m", {}, cancel_on_abort=True)
            if call == "run"
            else client.executions.wait("exec_1", cancel_on_abort=True)
        )
        while not task.done() and not cancelled:
            await asyncio.sleep(0.01)
            task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert cancelled == ["/v1/executions/exec_1/cancel"]


def test_the_key_appears_in_no_text_of_the_client():
    client = client_of(lambda _: httpx.Response(200, json={}))
    assert "sk_1" not in repr(client._http.settings)  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"api_key": None}, "HOLDFAST_API_KEY"),
        ({"base_url": None}, "HOLDFAST_URL"),
        ({"base_url": "ftp://x"}, "is not a URL"),
        ({"api_key": "sk_\n"}, "character"),
        ({"base_url": "http://me:secret@holdfast.test"}, "user name"),
        ({"timeout": -1}, "timeout"),
    ],
)
def test_a_setting_that_is_missing_or_wrong_is_named(
    settings: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("HOLDFAST_URL", raising=False)
    monkeypatch.delenv("HOLDFAST_API_KEY", raising=False)
    with pytest.raises(ValueError, match=message):
        Holdfast(**{"base_url": "http://holdfast.test", "api_key": "sk_1", **settings})


def test_json_of_the_request_is_what_was_given():
    handle, seen = failing(then={"id": "exec_1"})
    client_of(handle).executions.create("m", {"prompt": "é"}, metadata={"a": 1}, priority="high")
    assert json.loads(seen[0].content) == {"model": "m", "input": {"prompt": "é"}, "metadata": {"a": 1}, "priority": "high"}
    assert seen[0].headers["authorization"] == "Bearer sk_1"


def test_a_repeated_create_of_an_ended_run_is_read_for_its_error():
    failure = {"code": "GENERATION_FAILED", "message": "It failed.", "retryable": True}
    replay = httpx.Response(202, json={**EXECUTION, "status": "FAILED"})
    handle, _ = failing(replay, then={**DONE, "status": "FAILED", "error": failure})
    with pytest.raises(ExecutionError, match="It failed"):
        client_of(handle).run("m", {}, idempotency_key="order-1")


class Heartbeats(httpx.SyncByteStream):
    """Says nothing but that it lives."""

    def __init__(self) -> None:
        self.sent = 0

    def __iter__(self) -> Iterator[bytes]:
        while self.sent < 1000:
            self.sent += 1
            time.sleep(0.01)
            yield b": still here\n\n"


def test_a_time_out_ends_a_wait_whose_stream_only_says_that_it_lives():
    stream = Heartbeats()

    def handle(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/events"):
            return httpx.Response(200, stream=stream, headers={"content-type": "text/event-stream"})
        return httpx.Response(202 if request.method == "POST" else 200, json=EXECUTION)

    with pytest.raises(WaitTimeoutError):
        client_of(handle).run("m", {}, timeout=0.3, on_progress=lambda _: None)
    assert 0 < stream.sent < 1000


def test_headers_of_the_caller_replace_those_of_the_client_in_whatever_case_they_are_written():
    handle, seen = failing(then={"available": "1.00"})
    client = client_of(handle, headers={"User-Agent": "mine", "ACCEPT": "text/html", "Authorization": "theirs"})
    client.balance.get()
    sent = [(name, value) for name, value in seen[0].headers.multi_items() if name in ("user-agent", "accept", "authorization")]
    assert sorted(sent) == [("accept", "text/html"), ("authorization", "Bearer sk_1"), ("user-agent", "mine")]


def test_an_error_has_the_input_with_the_ids_of_its_files_and_the_page_of_its_code():
    refusal = {"error": {"code": "INTERNAL_ERROR", "message": "No.", "doc_url": "https://h.test/docs/errors/INTERNAL_ERROR"}}
    steps = [
        httpx.Response(201, json={"file_id": "file_1", "upload_url": "http://store.test/put"}),
        httpx.Response(200),
        httpx.Response(500, json=refusal),
    ]
    handle, _ = failing(*steps, then={})
    with pytest.raises(ServerError) as raised:
        client_of(handle).run("m", {"image": b"a", "n": 1}, idempotency_key="k")
    assert (raised.value.idempotency_key, raised.value.input) == ("k", {"image": "file_1", "n": 1})
    assert raised.value.doc_url == "https://h.test/docs/errors/INTERNAL_ERROR"


def test_a_run_whose_upload_failed_can_be_repeated_with_the_key_and_the_input_of_its_error():
    upload = {"file_id": "file_1", "upload_url": "http://store.test/put"}
    steps = [httpx.ReadError("cut"), httpx.Response(201, json=upload), httpx.Response(200), httpx.Response(202, json=EXECUTION)]
    handle, seen = failing(*steps, then=DONE)
    client = client_of(handle, max_retries=0)
    with pytest.raises(APIConnectionError) as raised:
        client.run("m", {"image": b"a"})
    client.run("m", raised.value.input, idempotency_key=raised.value.idempotency_key)
    assert json.loads(seen[3].content)["input"] == {"image": "file_1"}
    assert seen[3].headers["idempotency-key"] == raised.value.idempotency_key


def test_an_empty_key_of_a_caller_does_not_become_the_key_of_the_process(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOLDFAST_API_KEY", "sk_of_the_process")
    with pytest.raises(ValueError, match="no API key"):
        Holdfast(base_url="http://holdfast.test", api_key="")


def test_a_create_is_repeated_as_it_was_given_whatever_the_caller_makes_of_it():
    given = {"style": {"name": "old"}}
    bodies: list[Any] = []

    def handle(request: httpx.Request) -> httpx.Response:
        bodies.append(json.loads(request.content)["input"])
        given["style"]["name"] = "new"
        return httpx.Response(502) if len(bodies) == 1 else httpx.Response(202, json=EXECUTION)

    client_of(handle).executions.create("m", given)
    assert bodies == [{"style": {"name": "old"}}] * 2


def test_an_error_after_the_end_has_the_execution():
    without_result = {name: value for name, value in DONE.items() if name != "result"}
    steps = [httpx.Response(202, json=EXECUTION), httpx.Response(200, json=without_result), refusal(403, "FORBIDDEN")]
    handle, _ = failing(*steps, then={})
    with pytest.raises(HoldfastError) as raised:
        client_of(handle).run("m", {}, idempotency_key="k")
    assert raised.value.execution and raised.value.execution.id == "exec_1"
    assert raised.value.idempotency_key == "k"


def test_events_end_with_an_error_when_no_stream_can_be_opened():
    handle, seen = failing(*[httpx.Response(200, text="<html>")] * 99, then={})
    with pytest.raises(APIConnectionError):
        list(client_of(handle).executions.events("exec_1"))
    assert len(seen) == 12


@pytest.mark.parametrize("path", ["https://elsewhere.test/", "@elsewhere.test/", ".elsewhere.test/"])
def test_a_request_cannot_take_the_key_to_another_host(path: str):
    handle, seen = failing(then={})
    with pytest.raises(ValueError, match="slash"):
        client_of(handle).request("GET", path)
    assert seen == []


@pytest.mark.parametrize("id", ["", ".", ".."])
def test_an_id_that_would_make_another_request_of_it_is_refused(id: str):
    handle, seen = failing(then={"deleted": True})
    client = client_of(handle)
    calls: list[Callable[[], object]] = [
        lambda: client.executions.get(id),
        lambda: client.executions.result(id),
        lambda: next(client.executions.events(id)),
        lambda: client.webhooks.endpoints.delete(id),
        lambda: client.files.bytes(id),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="Is an id empty"):
            call()
    assert seen == []


def test_an_error_survives_the_way_from_another_process():
    failure = {"code": "GENERATION_FAILED", "message": "It failed."}
    handle, _ = failing(httpx.Response(202, json=EXECUTION), then={**DONE, "status": "FAILED", "error": failure})
    with pytest.raises(ExecutionError) as raised:
        client_of(handle).run("m", {}, idempotency_key="k")
    error = pickle.loads(pickle.dumps(raised.value))
    assert (type(error), str(error), error.code, error.idempotency_key) == (ExecutionError, "It failed.", "GENERATION_FAILED", "k")
    assert error.execution.id == "exec_1"
    handle, _ = failing(refusal(402, "INSUFFICIENT_BALANCE"), then={})
    with pytest.raises(BalanceError) as refused:
        client_of(handle).run("m", {})
    assert pickle.loads(pickle.dumps(refused.value)).status == 402


def test_a_task_that_is_cancelled_during_the_create_reports_the_key_it_was_sent_under():
    async def main() -> None:
        reached = asyncio.Event()

        async def handle(_: httpx.Request) -> httpx.Response:
            reached.set()
            await asyncio.Event().wait()
            raise AssertionError

        http_client = httpx.AsyncClient(transport=httpx.MockTransport(handle))
        client = AsyncHoldfast(base_url="http://holdfast.test", api_key="sk_1", http_client=http_client)
        task = asyncio.create_task(client.run("m", {"n": 1}))
        await reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as raised:
            await task
        assert re.fullmatch(r"sdk_[\da-f]{11}_[\da-f-]{36}", vars(raised.value)["idempotency_key"])
        assert vars(raised.value)["input"] == {"n": 1}

    asyncio.run(main())


def test_an_abort_during_the_create_does_not_wait_for_a_create_without_a_response(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sync_client, "MAX_CANCEL", 0.1)
    creates: list[str] = []
    over, responded = threading.Event(), threading.Event()

    def handle(request: httpx.Request) -> httpx.Response:
        creates.append(request.headers["idempotency-key"])
        if len(creates) == 1:
            raise KeyboardInterrupt
        over.wait(10)
        responded.set()
        return httpx.Response(500)

    with pytest.raises(KeyboardInterrupt) as raised:
        client_of(handle, max_retries=0).run("m", {}, cancel_on_abort=True)
    assert not responded.is_set()
    assert creates == [vars(raised.value)["idempotency_key"]] * 2
    over.set()


def test_a_task_that_is_cancelled_during_the_create_does_not_wait_for_a_create_without_a_response(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(async_client, "MAX_CANCEL", 0.1)

    async def main() -> None:
        reached = asyncio.Event()

        async def handle(_: httpx.Request) -> httpx.Response:
            reached.set()
            await asyncio.sleep(10)
            raise AssertionError

        http_client = httpx.AsyncClient(transport=httpx.MockTransport(handle))
        client = AsyncHoldfast(base_url="http://holdfast.test", api_key="sk_1", http_client=http_client)
        task = asyncio.create_task(client.run("m", {}, cancel_on_abort=True))
        await reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


def test_a_task_that_is_cancelled_does_not_wait_for_a_file_that_never_ends():
    async def main() -> None:
        reader, writer = os.pipe()
        reading = threading.Event()

        class Endless:
            def read(self, size: int = -1) -> bytes:
                reading.set()
                return os.read(reader, size)

        client = AsyncHoldfast(base_url="http://holdfast.test", api_key="sk_1")
        task = asyncio.create_task(client.run("m", {"image": Endless()}))
        await asyncio.to_thread(reading.wait)
        task.cancel()
        try:
            with pytest.raises(asyncio.CancelledError):
                await task
        finally:
            os.close(writer)

    asyncio.run(main())


def test_the_first_read_of_a_wait_ends_with_its_timeout():
    limits: list[float] = []

    def handle(request: httpx.Request) -> httpx.Response:
        limits.append(request.extensions["timeout"]["read"])
        return httpx.Response(200, json=DONE)

    client_of(handle).executions.wait("exec_1", timeout=10)
    client_of(handle).executions.wait("exec_1", timeout=0)
    client_of(handle).executions.wait("exec_1")
    assert [round(limit) for limit in limits] == [10, 5, 60]


def test_a_repetition_of_the_first_read_of_a_wait_has_the_time_that_is_left():
    limits: list[float] = []

    def handle(request: httpx.Request) -> httpx.Response:
        limits.append(request.extensions["timeout"]["read"])
        if len(limits) == 1:
            time.sleep(0.2)
            raise httpx.ReadError("cut")
        return httpx.Response(200, json=DONE)

    client_of(handle).executions.wait("exec_1", timeout=10)
    assert limits[1] <= limits[0] - 0.2


def test_the_log_of_httpx_has_no_signature_of_an_upload(caplog: pytest.LogCaptureFixture):
    upload = {"file_id": "file_1", "upload_url": "http://store.test/put?X-Amz-Signature=secret"}
    handle, _ = failing(httpx.Response(201, json=upload), httpx.Response(200), then={})
    with caplog.at_level("DEBUG"):
        client_of(handle).files.send(b"a")
    assert "http://store.test/put" in caplog.text
    assert "secret" not in caplog.text


def test_a_request_about_many_executions_is_sent_part_by_part_and_its_parts_are_added_up():
    part = {"matched": 2, "created": 1, "replayed": 1, "skipped": [], "has_more": True, "next_cursor": "exec_b"}
    first = {**part, "executions": [{"id": "exec_2", "rerun_of": "exec_0"}]}
    last = {**part, "executions": [{"id": "exec_1", "rerun_of": "exec_0"}], "has_more": False, "next_cursor": None}
    handle, seen = failing(httpx.Response(200, json=first), httpx.ReadError("cut"), then=last)
    ended = client_of(handle).executions.bulk_rerun({"model": "m"})
    assert (ended.matched, ended.created, ended.has_more) == (4, 2, False)
    assert [one.id for one in ended.executions] == ["exec_2", "exec_1"]
    body = {"filter": {"model": "m"}, "dry_run": False}
    assert [json.loads(one.content) for one in seen] == [body, *[{**body, "cursor": "exec_b"}] * 2]
    assert len({one.headers["idempotency-key"] for one in seen}) == 1


def test_a_request_about_many_executions_ends_when_a_cursor_repeats_and_its_error_has_its_key():
    cancelled = {"matched": 1, "cancelled": 1, "has_more": True, "next_cursor": "a"}
    handle, seen = failing(then=cancelled)
    assert client_of(handle).executions.bulk_cancel({"model": "m"}, dry_run=True).cancelled == 2
    assert "idempotency-key" not in seen[0].headers
    handle, _ = failing(refusal(402, "INSUFFICIENT_BALANCE"), then={})
    with pytest.raises(BalanceError) as raised:
        client_of(handle).executions.bulk_rerun({"model": "m"}, idempotency_key="night")
    assert raised.value.idempotency_key == "night"
