from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import trio
from holdfast import (
    AsyncHoldfast,
    DoneEvent,
    ExecutionError,
    Holdfast,
    InvalidRequestError,
    LogsEvent,
    OutputEvent,
    ResetEvent,
    StreamProgressEvent,
)

EXECUTION = {
    "id": "exec_1",
    "status": "PENDING",
    "model": "m",
    "created_at": "2026-03-20T10:30:00.000Z",
    "expires_at": "2026-03-20T10:40:00.000Z",
}
DONE = {**EXECUTION, "status": "COMPLETED", "completed_at": "2026-03-20T10:31:00.000Z", "result": {"text": "Once upon"}}


def sent(id: int | None, kind: str, data: Any) -> str:
    return f"{'' if id is None else f'id: {id}'}\nevent: {kind}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".lstrip()


def output(id: int | None, delta: Any) -> str:
    return sent(id, "output", {"delta": delta})


def done(id: int, **more: Any) -> str:
    return sent(id, "done", {"status": "COMPLETED", **more})


Step = Callable[["Service"], None]


class Service(BaseHTTPRequestHandler):
    """Creates an execution, and responds to the reads of its stream step by step."""

    protocol_version = "HTTP/1.1"
    requests: list[str]
    positions: list[str | None]
    steps: list[Step]
    record: dict[str, Any]
    refusal: dict[str, Any] | None
    closed: threading.Event

    def send(self, status: int, body: Any, **headers: str) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"content-length": str(len(content)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def do_POST(self) -> None:
        self._take()
        if self.path.endswith("/cancel"):
            self.send(200, {**EXECUTION, "status": "CANCELLED"})
        elif self.refusal:
            self.send(400, {"error": self.refusal})
        else:
            self.send(202, EXECUTION)

    def do_GET(self) -> None:
        self._take()
        if "/stream" not in self.path:
            self.send(200, self.record)
            return
        self.positions.append(self.headers.get("last-event-id"))
        steps = Service.steps
        (steps.pop(0) if len(steps) > 1 else steps[0])(self)

    def begin(self, content: str | bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        self.more(content)

    def more(self, content: str | bytes) -> None:
        data = content.encode() if isinstance(content, str) else content
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _take(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
        self.requests.append(f"{self.command} {self.path} {body}".strip())

    def log_message(self, format: str, *args: Any) -> None:
        return None


def whole(*parts: str) -> Step:
    """Sends everything and ends."""

    def step(service: Service) -> None:
        service.begin("retry: 1\n\n" + "".join(parts))
        service.wfile.write(b"0\r\n\r\n")

    return step


def cut(content: str | bytes) -> Step:
    """Sends so much, then breaks the connection."""

    def step(service: Service) -> None:
        service.close_connection = True
        service.begin(content)

    return step


def endless(content: str) -> Step:
    """Sends so much, and heartbeats until the client is gone."""

    def step(service: Service) -> None:
        with suppress(OSError):
            service.begin(content)
            while True:
                service.more(": heartbeat\n\n")
                threading.Event().wait(0.02)
        Service.closed.set()

    return step


def refused(status: int) -> Step:
    error = {"code": "NO", "message": "No.", "retryable": True, "request_id": "req_1", "details": []}
    return lambda service: service.send(status, {"error": error}, retry_after="0")


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        return None


@pytest.fixture(autouse=True)
def url() -> Iterator[str]:
    Service.requests, Service.positions, Service.steps = [], [], []
    Service.record, Service.refusal, Service.closed = DONE, None, threading.Event()
    server = Server(("127.0.0.1", 0), Service)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


class Reader:
    """The same calls with each client: the synchronous one in a loop, too."""

    def __init__(self, client: Any, is_sync: bool) -> None:
        self.client, self.is_sync = client, is_sync

    async def call(self, result: Any) -> Any:
        return result if self.is_sync else await result

    async def each(self, stream: Any) -> AsyncIterator[Any]:
        if self.is_sync:
            for one in stream:
                yield one
        else:
            async for one in stream:
                yield one

    async def all(self, stream: Any) -> list[Any]:
        return [one async for one in self.each(stream)]


Scenario = Callable[[Callable[[Reader], Awaitable[None]]], None]


@pytest.fixture(params=["sync", "asyncio", "trio"])
def run(request: pytest.FixtureRequest, url: str) -> Scenario:
    def run_scenario(scenario: Callable[[Reader], Awaitable[None]]) -> None:
        async def main() -> None:
            if request.param == "sync":
                with Holdfast(base_url=url, api_key="sk_1") as client:
                    await scenario(Reader(client, True))
            else:
                async with AsyncHoldfast(base_url=url, api_key="sk_1") as client:
                    await scenario(Reader(client, False))

        trio.run(main) if request.param == "trio" else asyncio.run(main())

    return run_scenario


def test_a_stream_yields_the_pieces_and_returns_the_execution(run: Scenario):
    Service.steps = [whole(output(1, "Once "), ": heartbeat\n\n", output(2, "upon"), done(3))]

    async def scenario(reader: Reader) -> None:
        stream = reader.client.stream("m", {"prompt": "x"}, metadata={"order": 1})
        assert await reader.all(stream) == ["Once ", "upon"]
        final = await reader.call(stream.final())
        assert (final.output, final.execution.status) == ({"text": "Once upon"}, "COMPLETED")
        assert await reader.call(stream.id) == "exec_1"

    run(scenario)
    create, read, *_ = Service.requests
    body = {"model": "m", "input": {"prompt": "x"}, "metadata": {"order": 1}, "stream": True}
    assert json.loads(create.removeprefix("POST /v1/executions ")) == body
    assert read == "GET /v1/executions/exec_1/stream"


def test_a_stream_misses_nothing_and_repeats_nothing_when_it_is_cut(run: Scenario):
    text = (output(1, "é") + output(2, "ü€")).encode()
    in_character = text[: text.rindex("€".encode()) + 1]
    in_event = output(2, "ü€") + 'id: 3\nevent: output\ndata: {"del'
    Service.steps = [
        cut(in_character),
        refused(503),
        cut(in_event),
        refused(429),
        whole(output(3, "!")),
        whole(output(4, "?"), done(5)),
    ]

    async def scenario(reader: Reader) -> None:
        assert await reader.all(reader.client.stream("m", {})) == ["é", "ü€", "!", "?"]

    run(scenario)
    assert Service.positions == [None, "1", "1", "2", "2", "3"]


def test_a_stream_of_a_failed_execution_raises_after_the_pieces(run: Scenario):
    error = {"code": "GENERATION_FAILED", "message": "It broke.", "retryable": True, "details": []}
    Service.record = {**DONE, "status": "FAILED", "result": None, "error": error}
    Service.steps = [whole(output(1, "Once"), done(2, status="FAILED", error=error))]

    async def scenario(reader: Reader) -> None:
        seen: list[str] = []
        with pytest.raises(ExecutionError, match="It broke") as raised:
            async for delta in reader.each(reader.client.stream("m", {"a": 1}, idempotency_key="k")):
                seen.append(delta)
        assert seen == ["Once"]
        assert (raised.value.code, raised.value.idempotency_key) == ("GENERATION_FAILED", "k")
        assert raised.value.input == {"a": 1}

    run(scenario)


def test_a_create_that_is_refused_is_the_error_of_the_first_use(run: Scenario):
    Service.refusal = {"code": "INPUT_VALIDATION_ERROR", "message": "No.", "retryable": False, "details": []}

    async def scenario(reader: Reader) -> None:
        stream = reader.client.stream("m", {})
        with pytest.raises(InvalidRequestError):
            await reader.all(stream)
        with pytest.raises(InvalidRequestError):
            await reader.call(stream.final())

    run(scenario)


@pytest.mark.parametrize("cancels", [False, True])
def test_leaving_a_loop_closes_the_connection_and_cancels_if_asked(run: Scenario, cancels: bool):
    Service.steps = [endless(output(1, "a"))]

    async def leave(stream: Any, is_sync: bool) -> None:
        if is_sync:
            for delta in stream:
                assert delta == "a"
                break
        else:
            async with stream:
                async for delta in stream:
                    assert delta == "a"
                    break

    run(lambda reader: leave(reader.client.stream("m", {}, cancel_on_disconnect=cancels), reader.is_sync))
    assert Service.closed.wait(5)
    query, cancel = ("?cancel_on_disconnect=true", ["POST /v1/executions/exec_1/cancel"]) if cancels else ("", [])
    assert Service.requests[1:] == [f"GET /v1/executions/exec_1/stream{query}", *cancel]


@pytest.mark.parametrize("library", ["asyncio", "trio"])
def test_a_cancelled_task_ends_its_stream_and_cancels_the_execution_if_asked(url: str, library: str):
    Service.steps = [endless(output(1, "a"))]

    async def read(on_delta: Callable[[], object]) -> None:
        async with AsyncHoldfast(base_url=url, api_key="sk_1") as client:
            async for _ in client.stream("m", {}, cancel_on_disconnect=True):
                on_delta()

    async def cancelled_on_asyncio() -> None:
        task = asyncio.create_task(read(lambda: task.cancel()))
        with pytest.raises(asyncio.CancelledError):
            await task

    async def cancelled_on_trio() -> None:
        with trio.CancelScope() as scope:
            await read(scope.cancel)

    asyncio.run(cancelled_on_asyncio()) if library == "asyncio" else trio.run(cancelled_on_trio)
    assert Service.closed.wait(5)
    assert Service.requests[-1] == "POST /v1/executions/exec_1/cancel"


def test_the_events_of_a_stream_have_types(run: Scenario):
    usage = {"input_tokens": 3, "output_tokens": 9}
    Service.steps = [
        whole(
            sent(1, "progress", {"progress": 0.5}),
            sent(2, "logs", {"lines": ["loading"]}),
            output(3, {"row": 1}),
            sent(4, "weather", {"sun": True}),
            "event: output\ndata: {broken\n\n",
            sent(5, "reset", {"attempt": 2}),
            sent(6, "output", {"image": "file_1"}),
            done(7, usage=usage, cost="0.0003", finish_reason="budget", error=None),
        )
    ]

    async def scenario(reader: Reader) -> None:
        *events, last = await reader.all(reader.client.executions.stream("exec_1").events())
        assert events == [
            StreamProgressEvent(0.5, 1),
            LogsEvent(["loading"], 2),
            OutputEvent({"row": 1}, 3),
            ResetEvent(2, 5),
            OutputEvent({"image": "file_1"}, 6),
        ]
        assert isinstance(last, DoneEvent)
        assert (last.status, last.cost, last.finish_reason, last.error, last.id) == ("COMPLETED", "0.0003", "budget", None, 7)
        assert last.usage and last.usage.output_tokens == 9

    run(scenario)


def test_a_stream_starts_after_an_event_and_is_over_where_nothing_follows(run: Scenario):
    def nothing(service: Service) -> None:
        service.send_response(204)
        service.end_headers()

    Service.steps = [nothing]

    async def scenario(reader: Reader) -> None:
        assert await reader.all(reader.client.executions.stream("exec_1", starting_after=7)) == []

    run(scenario)
    assert Service.positions == ["7"]


def test_only_the_rest_is_yielded_when_the_whole_comes_in_place_of_events_that_are_gone(run: Scenario):
    reset = sent(None, "reset", {})
    last = reset + output(None, "Once upon a time") + done(9)
    Service.steps = [cut(output(1, "Once ") + output(2, "upon")), cut(reset), cut(last[:-20]), whole(last)]

    async def scenario(reader: Reader) -> None:
        assert await reader.all(reader.client.executions.stream("exec_1")) == ["Once ", "upon", " a time"]
        Service.steps = [cut(output(1, "There")), whole(last)]
        stream = reader.client.executions.stream("exec_1")
        types = [getattr(event, "delta", event.type) for event in await reader.all(stream.events())]
        assert types == ["There", "reset", "Once upon a time", "done"]

    run(scenario)
