"""Calls of fal's client for Python: FAL_RUN_HOST is all that a user changes, but for uploads. Prints a line for each."""

import asyncio
import base64
import json
import os
import time

import fal_client
import httpx
from webhook import receiver

image, text = "sandbox/sandbox-image", "sandbox/sandbox-text"
png = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
small = {"prompt": "python: a lighthouse", "width": 64, "height": 64}
calls = []


def call(function):
    calls.append(function)
    return function


def fails(status, run):
    try:
        run()
    except fal_client.client.FalClientHTTPError as thrown:
        assert thrown.status_code == status, thrown
        return thrown
    raise AssertionError("it did not fail")


def is_image(result):
    shown = result["images"][0]
    assert shown["content_type"] == "image/png" and shown["width"] == 64, shown
    assert httpx.get(shown["url"]).content[1:4] == b"PNG"


@call
def quickstart():
    seen = []

    def on_queue_update(update):
        seen.append(type(update).__name__)
        if isinstance(update, fal_client.InProgress):
            for log in update.logs:
                print("#", log["message"])

    result = fal_client.subscribe(
        image,
        arguments={**small, "delay_ms": 700},
        with_logs=True,
        on_queue_update=on_queue_update,
    )
    is_image(result)
    assert seen[-1] == "Completed" and "InProgress" in seen, seen


@call
def queue():
    handle = fal_client.submit(image, arguments={**small, "delay_ms": 300}, priority="low", start_timeout=30)
    for _ in handle.iter_events(with_logs=True):
        pass
    is_image(handle.get())
    assert isinstance(fal_client.status(image, handle.request_id, with_logs=True), fal_client.Completed)
    is_image(fal_client.result(image, handle.request_id))


@call
def asynchronous():
    async def run():
        handle = await fal_client.submit_async(image, arguments=small)
        async for _ in handle.iter_events():
            pass
        return await handle.get()

    is_image(asyncio.run(run()))


@call
def path_below_the_app():
    is_image(fal_client.subscribe("sandbox/flux/dev", arguments=small))


@call
def webhooks():
    with receiver(f"https://rest.{os.environ['FAL_RUN_HOST']}/.well-known/jwks.json") as (url, calls):
        handle = fal_client.submit(image, arguments=small, webhook_url=url)
        ok = calls.get(timeout=60)
        assert ok["is_verified"] and ok["status"] == "OK" and ok["request_id"] == handle.request_id, ok
        is_image(ok["payload"])
        assert ok["payload"] == handle.get()
        fal_client.submit(image, arguments={**small, "fail": "GENERATION_FAILED"}, webhook_url=url)
        failed = calls.get(timeout=60)
        assert failed["is_verified"] and failed["error"] == "Invalid status code: 500", failed


@call
def cancel():
    handle = fal_client.submit(image, arguments={**small, "delay_ms": 60_000})
    handle.cancel()
    assert handle.status().error_type == "client_cancelled"
    fails(500, handle.get)
    fails(400, handle.cancel)


@call
def time_limit_for_the_start():
    narrow = "holdfast/narrow"
    busy = fal_client.submit(narrow, arguments={**small, "delay_ms": 60_000})
    while isinstance(busy.status(), fal_client.Queued):
        time.sleep(0.1)
    for way in fal_client.subscribe, fal_client.run:
        thrown = fails(504, lambda: way(narrow, arguments={**small, "seed": 1}, start_timeout=1.1))
        assert thrown.error_type == "startup_timeout", thrown
    busy.cancel()


@call
def run():
    is_image(fal_client.run(image, arguments=small))


@call
def stream():
    arguments = {"prompt": "hello", "tokens": 30, "tokens_per_s": 60}
    events = list(fal_client.stream(text, arguments=arguments))
    assert len(events) > 2 and events[-2]["partial"] and not events[-1]["partial"], events
    assert events[-1]["output"].startswith(events[0]["output"])


@call
def data_uri():
    arguments = {"source_image": fal_client.encode(png, "image/png"), "width": 8, "height": 8}
    result = fal_client.subscribe("sandbox/image-transform", arguments=arguments)
    assert httpx.get(result["images"][0]["url"]).content[1:4] == b"PNG"


@call
def upload():
    # Not by its settings: where it uploads to is fixed.
    fal_client.client.REST_URL = fal_client.client.CDN_URL = f"https://rest.{os.environ['FAL_RUN_HOST']}"
    url = fal_client.upload(png, "image/png", file_name="dot.png")
    assert httpx.get(url).content == png
    arguments = {"source_image": url, "width": 8, "height": 8}
    assert fal_client.subscribe("sandbox/image-transform", arguments=arguments)["images"]
    older = fal_client.upload(png, "image/png", repository="fal")
    assert httpx.get(older).content == png
    large = png + bytes(101 * 1024 * 1024)
    assert httpx.get(fal_client.upload(large, "image/png")).content == large


@call
def refused_input():
    detail = fails(422, lambda: fal_client.subscribe(image, arguments={"prompt": ""})).message
    assert detail[0]["loc"] == ["body", "prompt"], detail


@call
def failed_run():
    handle = fal_client.submit(image, arguments={**small, "fail": "GENERATION_FAILED"})
    thrown = fails(500, handle.get)
    assert thrown.error_type == "internal_server_error" and thrown.response_headers["x-fal-request-id"]
    status = handle.status()
    assert status.error and status.error_type == thrown.error_type, status


@call
def no_real_time():
    fal_client.client.REST_URL = f"https://rest.{os.environ['FAL_RUN_HOST']}"
    thrown = fails(404, lambda: fal_client.realtime(text).__enter__())
    assert "subscribe" in str(thrown), thrown


@call
def unknown_app():
    fails(404, lambda: fal_client.run("fal-ai/nothing", arguments=small))


for function in calls:
    try:
        function()
        problem = None
    except BaseException as error:
        problem = repr(error)
    print(json.dumps({"name": function.__name__, "problem": problem}), flush=True)
