from __future__ import annotations

import asyncio
import json
import threading
import time
from contextlib import suppress
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import trio
from holdfast import APIConnectionError, AsyncHoldfast, Holdfast, WaitTimeoutError
from holdfast._async import waiting

EXECUTION = {
    "id": "exec_1",
    "status": "PENDING",
    "model": "m",
    "created_at": "2026-03-20T10:30:00.000Z",
    "expires_at": "2026-03-20T10:40:00.000Z",
}
DONE = {**EXECUTION, "status": "COMPLETED", "completed_at": "2026-03-20T10:31:00.000Z", "result": {"text": "hi"}}


class Service(BaseHTTPRequestHandler):
    """Runs a model with an event stream; the model `slow` never ends."""

    requests: list[str]
    is_silent: bool

    def _send(self, status: int, body: Any) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        with suppress(OSError):
            self.wfile.write(content)

    def do_PUT(self) -> None:
        self._take()
        self._send(200, {})

    def do_POST(self) -> None:
        content = self._take()
        if self.path == "/v1/files/upload":
            self._send(201, {"file_id": "file_1", "upload_url": f"http://{self.headers['host']}/put"})
        elif self.path.endswith("/cancel"):
            if self.is_silent:
                time.sleep(3)
            self._send(200, {**EXECUTION, "status": "CANCELLED"})
        else:
            self._send(202, {**EXECUTION, "id": "exec_slow" if b'"slow"' in content else "exec_1"})

    def _drip(self, length: int, *, is_header: bool) -> None:
        self.send_response(200)
        self.send_header("content-length", str(length))
        if not is_header:
            self.end_headers()
        with suppress(OSError):
            self.wfile.flush()
            self.flush_headers()
            for _ in range(50):
                self.wfile.write(b"x")
                self.wfile.flush()
                time.sleep(0.1)

    def do_GET(self) -> None:
        self._take()
        if self.path.startswith("/v1/files/") or self.path == "/v1/balance":
            self._drip(10_000, is_header=False)
            return
        if self.path == "/v1/usage":
            self._drip(10_000, is_header=True)
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        if "exec_slow" in self.path:
            self.wfile.write(f"event: status\ndata: {json.dumps({**EXECUTION, 'id': 'exec_slow'})}\n\n".encode())
            self.wfile.flush()
            threading.Event().wait(5)
        else:
            self.wfile.write(f"event: status\ndata: {json.dumps(DONE)}\n\n".encode())

    def _take(self) -> bytes:
        self.requests.append(f"{self.command} {self.path}")
        return self.rfile.read(int(self.headers.get("content-length") or 0))

    def log_message(self, format: str, *args: Any) -> None:
        return None


@pytest.fixture
def service() -> Iterator[ThreadingHTTPServer]:
    Service.requests = []
    Service.is_silent = False
    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


def url_of(server: ThreadingHTTPServer) -> str:
    return f"http://127.0.0.1:{server.server_address[1]}"


def client_of(server: ThreadingHTTPServer) -> AsyncHoldfast:
    return AsyncHoldfast(base_url=url_of(server), api_key="sk_1")


@pytest.mark.parametrize("is_sync", [True, False])
def test_a_run_with_a_short_timeout_reports_its_progress_and_ends_on_time(service: ThreadingHTTPServer, is_sync: bool):
    types: list[str] = []

    def keep(event: Any) -> None:
        types.append(event.type)

    async def main() -> None:
        async with client_of(service) as client:
            await client.run("slow", {}, timeout=0.5, on_progress=keep)

    started_at = time.monotonic()
    with pytest.raises(WaitTimeoutError):
        if is_sync:
            with Holdfast(base_url=url_of(service), api_key="sk_1") as client:
                client.run("slow", {}, timeout=0.5, on_progress=keep)
        else:
            asyncio.run(main())
    assert types == ["status"]
    assert 0.5 <= time.monotonic() - started_at < 2


@pytest.mark.parametrize("is_sync", [True, False])
@pytest.mark.parametrize("call", ["body", "download", "headers"])
def test_a_response_that_drips_ends_with_the_timeout(service: ThreadingHTTPServer, call: str, is_sync: bool):
    settings: Any = {"base_url": url_of(service), "api_key": "sk_1", "timeout": 0.5, "max_retries": 0}

    def request(client: Any) -> Any:
        if call == "download":
            return client.files.bytes("file_1")
        return client.balance.get() if call == "body" else client.usage()

    async def main() -> None:
        async with AsyncHoldfast(**settings) as client:
            await request(client)

    started_at = time.monotonic()
    with pytest.raises(APIConnectionError) as raised:
        if is_sync:
            with Holdfast(**settings) as client:
                request(client)
        else:
            asyncio.run(main())
    assert raised.value.code == "REQUEST_TIMED_OUT"
    assert time.monotonic() - started_at < 1.5


def test_an_asynchronous_callback_is_awaited_and_its_error_ends_the_run(service: ThreadingHTTPServer):
    types: list[str] = []

    async def keep(event: Any) -> None:
        await asyncio.sleep(0.01)
        types.append(event.type)
        if event.type == "status":
            raise APIConnectionError("of the caller", code="CONNECTION_FAILED")

    async def main() -> None:
        async with client_of(service) as client:
            await client.run("m", {"image": b"bytes"}, on_progress=keep)

    with pytest.raises(APIConnectionError, match="of the caller"):
        asyncio.run(main())
    assert types == ["upload", "upload", "status"]


def test_a_run_with_a_file_and_progress_works_on_trio(service: ThreadingHTTPServer):
    types: list[str] = []

    async def main() -> Any:
        async with client_of(service) as client:
            run = await client.run("m", {"image": b"bytes"}, on_progress=lambda event: types.append(event.type))
            return run.output

    assert trio.run(main) == {"text": "hi"}
    assert types[0] == "upload" and types[-1] == "status"


def test_a_cancelled_run_does_not_wait_for_a_cancel_without_a_response(
    service: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(waiting, "MAX_CANCEL", 0.3)
    Service.is_silent = True

    async def main() -> None:
        async with client_of(service) as client:
            with trio.move_on_after(30) as scope:
                await client.run("slow", {}, cancel_on_abort=True, on_progress=lambda _: scope.cancel())

    started_at = time.monotonic()
    trio.run(main)
    assert time.monotonic() - started_at < 2
    assert "POST /v1/executions/exec_slow/cancel" in Service.requests


def test_a_cancelled_run_cancels_its_execution_on_trio(service: ThreadingHTTPServer):
    async def main() -> bool:
        async with client_of(service) as client:
            with trio.move_on_after(30) as scope:
                await client.run("slow", {}, cancel_on_abort=True, on_progress=lambda _: scope.cancel())
            return scope.cancelled_caught

    assert trio.run(main) is True
    assert "POST /v1/executions/exec_slow/cancel" in Service.requests
