"""Calls of Replicate's client for Python, with the base URL and the key of the environment. Prints a line for each."""

import base64
import io
import json
import time

import replicate
from replicate.exceptions import ModelError, ReplicateError

text = "sandbox/sandbox-text"
image = "sandbox/sandbox-image"
transform = "sandbox/image-transform"
png = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
calls = []


def call(function):
    calls.append(function)
    return function


def is_text(output, prompt):
    assert prompt in "".join(output), output


def is_png(files):
    assert files[0].read()[1:4] == b"PNG", files


def fails(error, match, run):
    try:
        run()
    except error as thrown:
        assert match in str(thrown), thrown
        return thrown
    raise AssertionError("it did not fail")


@call
def run_waiting():
    is_text(replicate.run(text, input={"prompt": "py waits"}), "py waits")


@call
def run_of_files():
    is_png(replicate.run(image, input={"prompt": "py paints", "width": 64, "height": 64}))


@call
def run_of_a_version_is_an_iterator():
    version = replicate.models.get(text).latest_version
    output = replicate.run(f"{text}:{version.id}", input={"prompt": "py iterates"})
    assert not isinstance(output, list), output
    is_text(output, "py iterates")


@call
def run_of_a_version_polling():
    version = replicate.models.get(text).latest_version.id
    output = replicate.run(f"{text}:{version}", input={"prompt": "py polls", "tokens_per_s": 20}, wait=False)
    is_text(output, "py polls")


@call
def run_polling():
    is_text(replicate.run(text, input={"prompt": "py is polling"}, wait=False), "py is polling")


@call
def run_that_takes_longer_than_it_waits():
    is_text(replicate.run(text, input={"prompt": "py is slow", "delay_ms": 2500}, wait=1), "py is slow")


@call
def run_that_fails():
    run = lambda: replicate.run(text, input={"prompt": "py fails", "fail": "GENERATION_FAILED"})
    assert fails(ModelError, "", run).prediction.status == "failed"


@call
def run_with_a_file():
    is_png(replicate.run(transform, input={"source_image": io.BytesIO(png), "width": 8}))


@call
def run_with_a_data_uri():
    source = io.BytesIO(png)
    is_png(replicate.run(transform, input={"source_image": source, "width": 9}, file_encoding_strategy="base64"))


@call
def stream():
    events = list(replicate.stream(text, input={"prompt": "py streams"}))
    is_text([str(one) for one in events if one.event.value == "output"], "py streams")
    assert events[-1].event.value == "done", events


@call
def predictions_create_reload_wait():
    prediction = replicate.predictions.create(model=text, input={"prompt": "py creates"})
    assert prediction.status == "starting", prediction
    prediction.reload()
    prediction.wait()
    assert prediction.status == "succeeded", prediction
    is_text(prediction.output, "py creates")


@call
def predictions_stream():
    prediction = replicate.predictions.create(model=text, input={"prompt": "py goes on"}, stream=True)
    is_text([str(one) for one in prediction.stream() if one.event.value == "output"], "py goes on")


@call
def predictions_cancel():
    prediction = replicate.predictions.create(model=text, input={"prompt": "py cancels", "delay_ms": 60000})
    prediction.cancel()
    prediction.wait()
    assert replicate.predictions.get(prediction.id).status == "canceled"


@call
def predictions_list():
    newest = replicate.predictions.list().results[0]
    assert newest.status == "canceled" and newest.model == text, newest.status


@call
def paginate():
    for index in range(105):
        replicate.predictions.create(model=text, input={"prompt": f"py page {index}"})
    pages = list(replicate.paginate(replicate.predictions.list))
    ids = [one.id for page in pages for one in page.results]
    assert len(pages) >= 2 and len(set(ids)) == len(ids) > 105, (len(pages), len(ids))


@call
def deployments():
    prediction = replicate.deployments.predictions.create(text, input={"prompt": "py deploys"})
    prediction.wait()
    is_text(prediction.output, "py deploys")
    assert replicate.deployments.get(text).current_release.model == text


@call
def models():
    model = replicate.models.get(image)
    assert (model.owner, model.name, model.visibility) == ("sandbox", "sandbox-image", "public"), model
    assert "image-transform" in [one.name for one in replicate.models.list()]
    assert [one.name for one in replicate.models.search("grayscale")] == ["image-transform"]
    [version] = model.versions.list()
    schema = model.versions.get(version.id).openapi_schema
    assert schema["components"]["schemas"]["Input"]["required"] == ["prompt"], schema


@call
def models_get_of_none():
    assert fails(ReplicateError, "could not be found", lambda: replicate.models.get("a/b")).status == 404


@call
def an_input_that_does_not_suit():
    thrown = fails(ReplicateError, "prompt", lambda: replicate.run(text, input={}))
    assert thrown.status == 422 and thrown.title == "Input validation failed", thrown


@call
def files():
    created = replicate.files.create(io.BytesIO(b"some lines"))
    assert created.size == 10 and created.checksums["sha256"], created
    assert replicate.files.get(created.id).urls["get"] == created.urls["get"]
    assert created.id in [one.id for one in replicate.files.list()]
    replicate.files.delete(created.id)
    fails(ReplicateError, "", lambda: replicate.files.get(created.id))


@call
def account_and_empty_pages():
    assert replicate.default_client.accounts.current().type == "organization"
    assert list(replicate.collections.list()) == []
    assert replicate.hardware.list() == []
    assert list(replicate.trainings.list()) == []


for one in calls:
    problem = None
    try:
        one()
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    print(json.dumps({"name": one.__name__.replace("_", " "), "problem": problem}), flush=True)
