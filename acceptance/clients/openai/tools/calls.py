"""Calls of OpenAI's client for Python, with the base URL and the key of the environment. Prints a line for each."""

import asyncio
import base64
import hashlib
import inspect
import io
import json
import os
import time

import openai
from openai import OpenAI
from pydantic import BaseModel


class Blocking:
    """The asynchronous client, or a part of it, whose calls return when they are done."""

    def __init__(self, part):
        self.part = part

    def __getattr__(self, name):
        return done(getattr(self.part, name))

    def __call__(self, *given, **named):
        return done(self.part(*given, **named))

    def __enter__(self):
        return done(self.part.__aenter__())

    def __exit__(self, *ended):
        loop.run_until_complete(self.part.__aexit__(*ended))

    def __iter__(self):
        items = self.part.__aiter__()
        end = object()
        return iter(lambda: loop.run_until_complete(anext(items, end)), end)


def done(value):
    if inspect.isawaitable(value) and not hasattr(value, "__aiter__"):
        return done(loop.run_until_complete(value))
    is_part = any(hasattr(value, name) for name in ("__call__", "__aiter__", "__aenter__"))
    return Blocking(value) if is_part or type(value).__module__.startswith(("openai.resources", "openai._response")) else value


loop = asyncio.new_event_loop()
client = Blocking(openai.AsyncOpenAI()) if os.environ.get("OPENAI_ASYNC") else OpenAI()
chat = client.chat.completions
model = "gpt-4o-mini"
png = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
wav = bytes.fromhex(
    "524946464c1f000057415645666d74201000000001000100401f0000803e000002001000"
    "64617461401f0000"
) + bytes(8000)
weather = {
    "name": "weather",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
}
tools = [{"type": "function", "function": weather}]
calls = []


class Person(BaseModel):
    name: str
    age: int


def call(function):
    calls.append(function)
    return function


def said(text):
    return [{"role": "user", "content": f"python: {text}"}]


def is_answer(text, to):
    assert text and to in text and text.endswith("That is all."), text


def fails(error, status, code, run):
    try:
        run()
    except error as thrown:
        assert thrown.status_code == status and code in (None, thrown.code), thrown
    else:
        raise AssertionError("it did not fail")


def ended(id):
    found = client.responses.retrieve(id)
    while found.status in ("queued", "in_progress"):
        time.sleep(0.05)
        found = client.responses.retrieve(id)
    return found


@call
def models_list():
    ids = [one.id for one in client.models.list()]
    assert model in ids and "sandbox-text" in ids, ids


@call
def models_retrieve():
    assert client.models.retrieve(model).id == model


@call
def models_retrieve_alias():
    assert client.models.retrieve("sandbox/sandbox-text").object == "model"


@call
def models_retrieve_none():
    fails(openai.NotFoundError, 404, "model_not_found", lambda: client.models.retrieve("a/b"))


@call
def chat_plain():
    done = chat.create(model=model, messages=said("plain"))
    is_answer(done.choices[0].message.content, "plain")
    assert done.choices[0].finish_reason == "stop" and done.usage.total_tokens == 7, done


@call
def chat_sandbox():
    assert chat.create(model="sandbox-text", messages=said("a lighthouse")).choices[0].message.content


@call
def chat_with_a_key():
    headers = {"Idempotency-Key": "python-1"}
    one, two = (chat.create(model=model, messages=said("keyed"), extra_headers=headers) for _ in range(2))
    assert one.id == two.id, (one, two)


@call
def chat_headers():
    raw = chat.with_raw_response.create(model=model, messages=said("headers"))
    for name in ("holdfast-execution", "holdfast-hold", "holdfast-cost", "x-request-id"):
        assert name in raw.headers, raw.headers


@call
def chat_settings():
    messages = [{"role": "system", "content": "Be brief."}, *said("settings")]
    done = chat.create(
        model=model, messages=messages, temperature=0.5, top_p=1, max_tokens=50, seed=1, stop=["x"], user="u", n=1
    )
    is_answer(done.choices[0].message.content, "settings")


@call
def chat_choices():
    done = chat.create(model=model, messages=said("choices, python"), n=2)
    assert [one.index for one in done.choices] == [0, 1], done
    chunks = list(chat.create(model=model, messages=said("streams, python"), n=2, stream=True))
    for index in range(2):
        pieces = [one.choices[0].delta.content or "" for one in chunks if one.choices[0].index == index]
        is_answer("".join(pieces), "streams, python")


@call
def chat_image():
    url = "data:image/png;base64," + base64.b64encode(png).decode()
    content = [{"type": "text", "text": "what is it, python"}, {"type": "image_url", "image_url": {"url": url}}]
    done = chat.create(model=model, messages=[{"role": "user", "content": content}])
    is_answer(done.choices[0].message.content, "what is it")


@call
def chat_streamed():
    chunks = list(chat.create(model=model, messages=said("streamed"), stream=True))
    is_answer("".join(one.choices[0].delta.content or "" for one in chunks), "streamed")
    assert chunks[-1].choices[0].finish_reason == "stop", chunks[-1]


@call
def chat_streamed_usage():
    options = {"include_usage": True}
    *_, last = chat.create(model=model, messages=said("usage"), stream=True, stream_options=options)
    assert last.choices == [] and last.usage.total_tokens == 7, last


@call
def chat_streamed_error():
    failing = {"fail": "MODEL_OVERLOADED", "fail_after_tokens": 2, "tokens": 8}
    chunks = []
    try:
        for one in chat.create(model="sandbox-text", messages=said("broken"), stream=True, extra_body=failing):
            chunks.append(one)
    except openai.APIError as error:
        assert chunks and chunks[0].choices[0].delta.role == "assistant", error
    else:
        raise AssertionError(f"it did not fail: {chunks}")


@call
def chat_stream_helper():
    with chat.stream(model=model, messages=said("helper")) as stream:
        is_answer(stream.get_final_completion().choices[0].message.content, "helper")


@call
def chat_stream_left():
    with chat.create(model=model, messages=said("left"), stream=True) as stream:
        next(iter(stream))


@call
def chat_parse():
    done = chat.parse(model=model, messages=said("parsed"), response_format=Person)
    assert done.choices[0].message.parsed == Person(name="Ada", age=36), done


@call
def chat_json():
    done = chat.create(model=model, messages=said("json"), response_format={"type": "json_object"})
    assert json.loads(done.choices[0].message.content)["name"] == "Ada", done


@call
def chat_tools():
    messages = said("tools")
    message = chat.create(model=model, messages=messages, tools=tools).choices[0].message
    [one] = message.tool_calls
    assert json.loads(one.function.arguments) == {"city": "Oslo"}, one
    answer = {"role": "tool", "tool_call_id": one.id, "content": "11 degrees"}
    again = chat.create(model=model, messages=[*messages, message.model_dump(exclude_none=True), answer], tools=tools)
    is_answer(again.choices[0].message.content, "11 degrees")


@call
def chat_tools_streamed():
    strict = [{"type": "function", "function": {**weather, "strict": True}}]
    with chat.stream(model=model, messages=said("streamed tools"), tools=strict) as stream:
        [one] = stream.get_final_completion().choices[0].message.tool_calls
    assert json.loads(one.function.arguments) == {"city": "Oslo"}, one


@call
def completions():
    is_answer(client.completions.create(model=model, prompt="older, python").choices[0].text, "older")


@call
def completions_streamed():
    chunks = client.completions.create(model=model, prompt="older, streamed, python", stream=True)
    is_answer("".join(one.choices[0].text for one in chunks if one.choices), "streamed")


@call
def unknown_model():
    run = lambda: chat.create(model="none", messages=said("x"))
    fails(openai.NotFoundError, 404, "model_not_found", run)


@call
def wrong_key():
    run = lambda: OpenAI(api_key="sk_wrong").models.list()
    fails(openai.AuthenticationError, 401, "invalid_api_key", run)


@call
def no_messages():
    fails(openai.BadRequestError, 400, None, lambda: chat.create(model=model, messages=[]))


@call
def too_many_choices():
    fails(openai.BadRequestError, 400, None, lambda: chat.create(model=model, messages=said("x"), n=17))


@call
def run_that_fails():
    messages = [{"role": "user", "content": "fail python"}]
    fails(openai.BadRequestError, 400, None, lambda: chat.create(model=model, messages=messages))


@call
def endpoint_that_is_not_there():
    run = lambda: list(client.fine_tuning.jobs.list())
    fails(openai.NotFoundError, 404, "unsupported_endpoint", run)


@call
def responses():
    found = client.responses.create(model=model, input="a response, python")
    is_answer(found.output_text, "a response")
    assert found.status == "completed" and found.usage.total_tokens == 7, found


@call
def responses_list():
    input = [{"role": "user", "content": [{"type": "input_text", "text": "a list, python"}]}]
    is_answer(client.responses.create(model=model, input=input, instructions="Be brief.").output_text, "a list")


@call
def responses_parse():
    found = client.responses.parse(model=model, input="a person, python", text_format=Person)
    assert found.output_parsed == Person(name="Ada", age=36), found


@call
def responses_tools():
    own = [{"type": "function", "strict": False, **weather}]
    found = client.responses.create(model=model, input="a call, python", tools=own)
    [one] = [item for item in found.output if item.type == "function_call"]
    assert json.loads(one.arguments) == {"city": "Oslo"}, found


@call
def responses_conversation():
    first = client.responses.create(model=model, input="my name is Ada, python")
    again = client.responses.create(model=model, input="and now, python", previous_response_id=first.id)
    is_answer(again.output_text, "and now")
    assert len(list(client.responses.input_items.list(again.id, limit=2))) == 3


@call
def responses_streamed():
    events = list(client.responses.create(model=model, input="events, python", stream=True))
    assert [one.sequence_number for one in events] == list(range(len(events))), events
    is_answer("".join(one.delta for one in events if one.type == "response.output_text.delta"), "events")


@call
def responses_stream_helper():
    with client.responses.stream(model=model, input="a helper, python") as stream:
        is_answer(stream.get_final_response().output_text, "a helper")


@call
def responses_background():
    found = client.responses.create(model="sandbox-text", input="in the background, python", background=True)
    assert ended(found.id).status == "completed"
    [item] = client.responses.input_items.list(found.id)
    assert item.content[0].text == "in the background, python", item
    client.responses.delete(found.id)
    fails(openai.NotFoundError, 404, None, lambda: client.responses.retrieve(found.id))


@call
def responses_background_streamed_and_resumed():
    events = list(client.responses.create(model=model, input="watched, python", background=True, stream=True))
    assert events[-1].type == "response.completed", events[-1]
    rest = list(client.responses.retrieve(events[0].response.id, stream=True, starting_after=2))
    assert [one.sequence_number for one in rest] == list(range(3, len(events))), rest


@call
def responses_cancel():
    found = client.responses.create(
        model="sandbox-text", input="cancelled, python", background=True, extra_body={"delay_ms": 60_000}
    )
    assert client.responses.cancel(found.id).status == "cancelled"
    assert ended(found.id).status == "cancelled"


@call
def responses_retrieve_none():
    fails(openai.NotFoundError, 404, None, lambda: client.responses.retrieve("resp_none"))


@call
def embeddings_base64():
    found = client.embeddings.create(model="embedder", input=["one, python", "two"])
    assert [list(one.embedding) for one in found.data] == [[0.5, -0.25, 0], [0.5, -0.25, 1]], found


@call
def embeddings_floats():
    found = client.embeddings.create(model="embedder", input="one, python", encoding_format="float")
    assert found.data[0].embedding == [0.5, -0.25, 0], found


@call
def embeddings_tokens():
    found = client.embeddings.create(model="embedder", input=[[1, 2], [3]])
    assert list(found.data[1].embedding) == [0.5, -0.25, 1], found


@call
def images_generate():
    found = client.images.generate(model="gpt-image-1", prompt="a lighthouse, python", quality="low")
    assert found.data[0].b64_json.startswith("iVBOR")


@call
def images_url():
    found = client.images.generate(model="sandbox-image", prompt="python", size="64x64", response_format="url")
    assert found.data[0].url.startswith("http"), found


@call
def images_streamed():
    body = {"model": "sandbox-image", "prompt": "a stream, python", "size": "64x64"}
    partial, last = client.images.generate(**body, stream=True, partial_images=1)
    assert (partial.type, last.type) == ("image_generation.partial_image", "image_generation.completed")
    assert partial.b64_json.startswith("iVBOR") and last.b64_json != partial.b64_json


@call
def images_edit():
    body = {"model": "gpt-image-1-edit", "prompt": "redder, python", "image": ("a.png", png, "image/png")}
    assert client.images.edit(**body).data[0].b64_json.startswith("iVBOR")
    *_, last = client.images.edit(**body, stream=True)
    assert last.type == "image_edit.completed" and last.b64_json.startswith("iVBOR"), last


@call
def audio_speech():
    assert len(client.audio.speech.create(model="speaker", voice="alloy", input="hello, python").content) == 3000


@call
def audio_speech_streamed():
    body = {"model": "speaker", "voice": "alloy", "input": "in pieces, python"}
    with client.audio.speech.with_streaming_response.create(**body) as response:
        assert sum(len(piece) for piece in response.iter_bytes()) == 3000
    events = client.audio.speech.create(**body, stream_format="sse").content.decode()
    pieces = [json.loads(line[6:]) for line in events.splitlines() if line.startswith("data: ")]
    assert sum(len(base64.b64decode(one.get("audio", ""))) for one in pieces) == 3000, events
    assert pieces[-1]["type"] == "speech.audio.done", events


formats = {
    "json": lambda heard, words: heard.text == words,
    "text": lambda heard, words: heard.strip() == words,
    "srt": lambda heard, words: heard == f"1\n00:00:00,000 --> 00:00:00,500\n{words}\n",
    "vtt": lambda heard, words: heard == f"WEBVTT\n\n00:00:00.000 --> 00:00:00.500\n{words}\n",
    "verbose_json": lambda heard, words: (heard.text, heard.duration, heard.segments[0].end) == (words, 0.5, 0.5),
}


def heard_as(operation, response_format, words):
    def run():
        file = ("a.wav", io.BytesIO(wav), "audio/wav")
        api = getattr(client.audio, operation)
        heard = api.create(model="whisper-1", file=file, response_format=response_format)
        assert formats[response_format](heard, words), heard

    run.__name__ = f"audio_{operation}: {response_format}"
    return run


for one in formats:
    call(heard_as("transcriptions", one, "hello there"))
    call(heard_as("translations", one, "hello, in English"))


@call
def audio_transcriptions_streamed():
    file = ("c.wav", io.BytesIO(wav), "audio/wav")
    *_, last = client.audio.transcriptions.create(model="whisper-1", file=file, stream=True)
    assert last.type == "transcript.text.done" and last.text == "hello there", last


@call
def files():
    content = ("lines.jsonl", b"some lines", "application/jsonl")
    found = client.files.create(file=content, purpose="user_data")
    assert client.files.wait_for_processing(found.id).bytes == 10, found
    newest, *others = [one.id for one in client.files.list(limit=1)]
    assert newest == found.id, newest
    assert [one.id for one in client.files.list(limit=1, order="asc")] == [*reversed(others), newest]
    assert client.files.content(found.id).content == b"some lines"
    assert client.files.delete(found.id).deleted
    fails(openai.NotFoundError, 404, None, lambda: client.files.retrieve(found.id))


@call
def moderations():
    one, two = client.moderations.create(input=["a lighthouse, python", "I will kill you"]).results
    assert not one.flagged and two.flagged and two.categories.violence, (one, two)
    assert two.category_scores.violence > 0.5, two


@call
def moderations_of_an_image():
    url = "data:image/png;base64," + base64.b64encode(png).decode()
    input = [{"type": "text", "text": "a fight, python"}, {"type": "image_url", "image_url": {"url": url}}]
    found = client.moderations.create(model="moderator", input=input)
    assert found.model == "moderator" and found.results[0].flagged, found


@call
def moderations_by_a_model_without():
    run = lambda: client.moderations.create(model=model, input="x, python")
    fails(openai.BadRequestError, 400, "model_not_supported", run)


@call
def uploads_in_chunks():
    content = b"a line,\n" * 1000
    done = client.uploads.upload_file_chunked(
        file=content, filename="large.csv", bytes=len(content), mime_type="text/csv", purpose="user_data",
        part_size=3000, md5=hashlib.md5(content).hexdigest(),
    )
    assert done.status == "completed" and done.file.purpose == "user_data", done
    assert client.files.content(done.file.id).content == content


@call
def uploads_cancel():
    found = client.uploads.create(filename="a.csv", bytes=1, mime_type="text/csv", purpose="user_data")
    assert client.uploads.cancel(found.id).status == "cancelled"
    fails(openai.NotFoundError, 404, None, lambda: client.uploads.complete(found.id, part_ids=["part_none"]))


@call
def images_variation():
    body = {"image": ("image.png", png, "image/png"), "size": "32x32", "response_format": "b64_json"}
    found = client.images.create_variation(model="image-transform", **body)
    assert found.data[0].b64_json.startswith("iVBOR"), found


@call
def videos_and_a_remix():
    done = client.videos.create_and_poll(model="film", prompt="a harbour, python", seconds="4", poll_interval_ms=50)
    assert done.status == "completed" and len(client.videos.download_content(done.id).content) > 1000, done
    remix = client.videos.remix(done.id, prompt="at night, python")
    assert remix.remixed_from_video_id == done.id, remix
    assert client.videos.poll(remix.id, poll_interval_ms=50).status == "completed"
    assert [one.id for one in client.videos.list(limit=1)] == [remix.id, done.id]
    assert [one.id for one in client.videos.list(limit=1, order="asc")] == [done.id, remix.id]
    assert client.videos.delete(done.id).deleted and client.videos.delete(remix.id).deleted
    fails(openai.NotFoundError, 404, None, lambda: client.videos.retrieve(done.id))


for one in calls:
    problem = None
    try:
        one()
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    print(json.dumps({"name": one.__name__.replace("_", " "), "problem": problem}), flush=True)
