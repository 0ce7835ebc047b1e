"""Makes the calls of ../behaviour.yaml: one JSON line in, one JSON line out. Run where holdfast is installed.

With the argument `sync`, the synchronous client makes them.
"""

from __future__ import annotations

import asyncio
import base64
import json
import sys
from collections.abc import Callable
from typing import Any

from holdfast import AsyncHoldfast, Holdfast, HoldfastError, Stream, WaitTimeoutError

Request = dict[str, Any]


def settings_of(client: Request) -> Request:
    retries = {"max_retries": client["max_retries"]} if "max_retries" in client else {}
    return {
        "base_url": client["base_url"],
        "api_key": client["api_key"],
        "timeout": client["request_timeout_ms"] / 1000,
        **retries,
    }


def arguments_of(request: Request, events: list[str]) -> Request:
    options = request.get("options", {})
    files = {name: base64.b64decode(text) for name, text in request.get("files", {}).items()}
    arguments: Request = {
        "model": request["model"],
        "input": {**request["input"], **files},
        "metadata": request["metadata"],
        "cancel_on_abort": options.get("cancel_on_abort", False),
    }
    if "timeout_ms" in options:
        arguments["timeout"] = options["timeout_ms"] / 1000
    if options.get("progress"):
        arguments["on_progress"] = lambda event: events.append(event.type)  # pyright: ignore[reportUnknownLambdaType, reportUnknownMemberType]
    return arguments


async def perform(client: Holdfast | AsyncHoldfast, request: Request, events: list[str]) -> Any:
    """The execution that comes of a call. The synchronous client works in a thread of its own."""
    arguments = arguments_of(request, events)

    async def made(call: Callable[..., Any], *args: Any, **named: Any) -> Any:
        return await (asyncio.to_thread(call, *args, **named) if isinstance(client, Holdfast) else call(*args, **named))

    try:
        if request["call"] == "run_then_wait":
            try:
                await made(client.run, **arguments)
            except WaitTimeoutError as error:
                return await made(client.executions.wait, error.execution.id)
            raise AssertionError("the wait did not time out")
        if request["call"] == "run_twice":
            key = f"twice-{request['metadata']['case']}"
            first, second = [(await made(client.run, **arguments, idempotency_key=key)).execution for _ in range(2)]
            assert first.id == second.id, "there are two executions"
            return second
        if request["call"] == "stream":
            stream = client.stream(
                request["model"],
                request["input"],
                metadata=request["metadata"],
                cancel_on_disconnect=request["options"].get("cancel_on_abort", False),
            )
            deltas = await asyncio.to_thread(list, stream) if isinstance(stream, Stream) else [one async for one in stream]
            final = await made(stream.final)
            assert "".join(deltas) == final.output["text"], f"the pieces are {deltas}"
            return final.execution
        try:
            return (await made(client.run, **arguments)).execution
        except HoldfastError as error:
            if request["call"] != "run_again":
                raise
            again = {**arguments, "input": error.input, "idempotency_key": error.idempotency_key}
            return (await made(client.run, **again)).execution
    finally:
        await made(client.close if isinstance(client, Holdfast) else client.aclose)


async def call(request: Request, is_sync: bool) -> Request:
    events: list[str] = []
    # Made before the clock of an abort starts: it reads the certificates of the machine.
    client = (Holdfast if is_sync else AsyncHoldfast)(**settings_of(request["client"]))
    task = asyncio.create_task(perform(client, request, events))
    abort_after = request.get("options", {}).get("abort_after_ms")
    if abort_after is not None:
        asyncio.get_running_loop().call_later(abort_after / 1000, task.cancel)
    try:
        execution = await task
        outcome = "completed" if execution.status == "COMPLETED" else execution.status
        return {"outcome": outcome, "execution_id": execution.id, "events": events}
    except asyncio.CancelledError as aborted:
        execution = getattr(aborted, "execution", None)
        return {"outcome": "ABORTED", "execution_id": execution and execution.id, "events": events}
    except HoldfastError as error:
        execution_id = error.execution.id if error.execution else None
        return {"outcome": error.code, "execution_id": execution_id, "events": events}
    except Exception as error:
        return {"outcome": repr(error), "execution_id": None, "events": events}


async def main() -> None:
    is_sync = "sync" in sys.argv
    lines = asyncio.StreamReader(limit=16 * 1024 * 1024)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    tasks: set[asyncio.Task[None]] = set()

    async def respond(request: Request) -> None:
        print(json.dumps({"id": request["id"], **await call(request, is_sync)}), flush=True)

    while line := await lines.readline():
        task = asyncio.create_task(respond(json.loads(line)))
        tasks.add(task)
        task.add_done_callback(tasks.discard)


asyncio.run(main())
