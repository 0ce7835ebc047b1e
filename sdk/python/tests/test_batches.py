from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from holdfast import APIError, AsyncHoldfast, BatchRun, Holdfast, HoldfastError
from holdfast._sync import runtime

Step = Callable[[httpx.Request], httpx.Response]


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch):
    def skip(_: float) -> None:
        return None

    monkeypatch.setattr(runtime, "sleep", skip)


def cut(_: httpx.Request) -> httpx.Response:
    raise httpx.ReadError("cut")


class Service:
    """Serves one batch, which is sealed once. `faults` come before its responses, by path."""

    def __init__(self, **faults: list[Step]) -> None:
        self.faults = faults
        self.items: dict[str, bytes] = {}
        self.requests: list[httpx.Request] = []
        self.is_sealed = False
        self.reads = 0

    def record(self) -> dict[str, Any]:
        is_ended = self.is_sealed and self.reads > 1
        status = "completed" if is_ended else "running" if self.is_sealed else "open"
        ended_at = "2026-03-20T10:30:00.000Z" if is_ended else None
        files = {"output_file_id": "file_o", "error_file_id": "file_e"}
        counts = {"total": len(self.items), "completed": len(self.items) if is_ended else 0}
        return {"id": "bat_1", "status": status, "counts": counts, "cost": "0", "ended_at": ended_at, **files}

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        action = request.url.path.rsplit("/", 1)[-1] if request.method == "POST" else request.url.path
        name = {"bat_1": "read"}.get(action.rsplit("/", 1)[-1], action.split("/")[-2 if "file_" in action else -1])
        pending = self.faults.get(name)
        if pending:
            return pending.pop(0)(request)
        if name == "items":
            return self.take(request)
        if name == "file_o":
            lines = [json.dumps({"custom_id": one, "status": "completed", "model": "m"}) for one in self.items]
            return httpx.Response(200, content="".join(f"{line}\n" for line in lines))
        if name == "file_e":
            return httpx.Response(200)
        self.is_sealed = self.is_sealed or name == "seal"
        self.reads += name == "read"
        return httpx.Response(200, json=self.record())

    def take(self, request: httpx.Request) -> httpx.Response:
        counts, rejected = {"accepted": 0, "duplicates": 0, "rejected": 0}, list[dict[str, Any]]()
        for number, line in enumerate(request.content.split(b"\n"), 1):
            try:
                custom_id = json.loads(line)["custom_id"]
            except ValueError:
                error = {"code": "INPUT_VALIDATION_ERROR", "message": "It is not JSON.", "details": []}
                rejected.append({"line": number, "custom_id": None, "error": error})
                counts["rejected"] += 1
                continue
            counts["duplicates" if custom_id in self.items else "accepted"] += 1
            self.items[custom_id] = line
        return httpx.Response(200, content="\n".join(["", *map(json.dumps, rejected), json.dumps(counts), ""]))

    def client(self) -> Holdfast:
        http_client = httpx.Client(transport=httpx.MockTransport(self))
        return Holdfast(base_url="http://holdfast.test", api_key="sk_1", http_client=http_client)


def items(count: int) -> list[dict[str, Any]]:
    return [{"custom_id": f"item-{n}", "input": {"prompt": "x" * 100}} for n in range(count)]


def ids_of(run: BatchRun) -> list[str]:
    return [one.custom_id for one in run.results()]


def test_adds_the_items_of_a_list_an_iterator_and_a_file_and_returns_the_results(tmp_path: Path):
    path = tmp_path / "items.jsonl"
    path.write_text("".join(json.dumps(item) + "\n" for item in items(7000)))
    with path.open("rb") as opened:
        for given in (items(7000), iter(items(7000)), path, path.read_bytes(), opened):
            service, statuses = Service(), list[str]()
            run = service.client().batches.run(given, model="m", on_progress=lambda batch: statuses.append(batch.status))
            assert [run.batch.status, *statuses] == ["completed", "running", "completed"]
            assert ids_of(run) == [item["custom_id"] for item in items(7000)]
            assert len([one for one in service.requests if one.url.path.endswith("/items")]) > 1
            assert json.loads(service.requests[0].content) == {"model": "m"}


def test_the_asynchronous_client_takes_an_asynchronous_iterator():
    service = Service()

    async def later() -> AsyncIterator[dict[str, Any]]:
        for item in items(3):
            yield item

    async def run() -> list[str]:
        http_client = httpx.AsyncClient(transport=httpx.MockTransport(service))
        async with AsyncHoldfast(base_url="http://holdfast.test", api_key="sk_1", http_client=http_client) as client:
            run = await client.batches.run(later(), poll_interval=0)
            return [one.custom_id async for one in run.results()]

    assert asyncio.run(run()) == ["item-0", "item-1", "item-2"]


def test_loses_and_repeats_nothing_when_connections_break():
    half = '{"custom_id":"item-0","status":"completed","model":"m"}\n{"cus'
    service = Service(
        batches=[cut],
        items=[cut, lambda _: httpx.Response(200, content="\n"), lambda _: httpx.Response(503)],
        seal=[cut],
        read=[cut],
        file_o=[lambda _: httpx.Response(200, content=half), cut],
    )
    assert ids_of(service.client().batches.run(items(3))) == ["item-0", "item-1", "item-2"]
    creates = [one for one in service.requests if one.url.path == "/v1/batches"]
    assert len(creates) == 2 and len({one.headers["idempotency-key"] for one in creates}) == 1


def test_goes_on_with_the_batch_that_its_error_has():
    refusal = {"error": {"code": "FORBIDDEN", "message": "No."}}
    service = Service(items=[lambda _: httpx.Response(403, json=refusal)])
    with pytest.raises(APIError) as raised:
        service.client().batches.run(items(2))
    assert raised.value.batch and raised.value.batch.id == "bat_1" and raised.value.idempotency_key
    for given in (items(2), []):
        assert service.client().batches.run(given, batch_id="bat_1").batch.status == "completed"
    # One that is sealed takes no items.
    assert len([one for one in service.requests if one.url.path.endswith("/items")]) == 2


def test_ends_before_anything_starts_when_an_item_is_not_accepted_unless_its_caller_takes_that():
    lines = b'{"custom_id":"a"}\nnonsense\n'
    service = Service()
    with pytest.raises(HoldfastError, match="Line 2: It is not JSON") as raised:
        service.client().batches.run(lines)
    assert raised.value.code == "ITEMS_REJECTED" and not service.is_sealed
    rejected: list[int] = []
    service.client().batches.run(lines, on_rejected=lambda one: rejected.append(one.line))
    assert rejected == [2] and service.is_sealed


def test_raises_the_error_that_ended_an_intake():
    error = json.dumps({"error": {"code": "INPUT_VALIDATION_ERROR", "message": "No.", "retryable": False}})
    service = Service(items=[lambda _: httpx.Response(200, content=f"{error}\n")])
    with pytest.raises(APIError) as raised:
        service.client().batches.run(items(1))
    assert raised.value.code == "INPUT_VALIDATION_ERROR"
