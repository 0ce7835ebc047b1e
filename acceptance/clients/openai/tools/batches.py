# Batches by OpenAI's client for Python: the base URL and the key are in the environment. Prints a line for each.
import json
import time

from openai import OpenAI

client = OpenAI()
model = "gpt-4o-mini"
chats = "/v1/chat/completions"


def create(endpoint, bodies):
    requests = [
        {"custom_id": f"request-{at}", "method": "POST", "url": endpoint, "body": body} for at, body in enumerate(bodies)
    ]
    content = "\n".join(json.dumps(one) for one in requests).encode()
    file = client.files.create(file=("requests.jsonl", content), purpose="batch")
    return client.batches.create(
        input_file_id=file.id, endpoint=endpoint, completion_window="24h", metadata={"from": "python"}
    )


def ended(batch):
    while batch.status in ("validating", "in_progress", "finalizing", "cancelling"):
        time.sleep(0.2)
        batch = client.batches.retrieve(batch.id)
    return batch


def lines(file_id):
    return [json.loads(one) for one in client.files.content(file_id).text.strip().split("\n")]


def chat(content):
    return {"model": model, "messages": [{"role": "user", "content": f"{content}, python"}]}


def chats_of_which_one_fails():
    batch = ended(create(chats, [chat("one"), chat("fail"), chat("three")]))
    counts = batch.request_counts
    assert batch.status == "completed" and (counts.total, counts.completed, counts.failed) == (3, 2, 1), batch
    texts = {one["custom_id"]: one["response"]["body"]["choices"][0]["message"]["content"] for one in lines(batch.output_file_id)}
    assert sorted(texts) == ["request-0", "request-2"] and "three, python" in texts["request-2"], texts
    [refused] = lines(batch.error_file_id)
    assert refused["custom_id"] == "request-1" and refused["response"]["status_code"] == 400, refused


def embeddings():
    batch = ended(create("/v1/embeddings", [{"model": "embedder", "input": "one, python"}]))
    [line] = lines(batch.output_file_id)
    assert line["response"]["body"]["data"][0]["embedding"] == [0.5, -0.25, 0], line


def bad_request():
    batch = ended(create(chats, [chat("one"), {**chat("two"), "model": "none"}]))
    assert batch.status == "completed" and (batch.request_counts.completed, batch.request_counts.failed) == (1, 1), batch
    [refused] = lines(batch.error_file_id)
    assert refused["response"]["body"]["error"]["code"] == "model_not_found" and refused["error"] is None, refused


def cancel():
    batch = create(chats, [{**chat("x"), "model": "sandbox-text", "delay_ms": 60_000}])
    assert ended(client.batches.cancel(batch.id)).status == "cancelled"


def listed():
    assert len({one.id for one in client.batches.list(limit=2)}) >= 4


for one in (chats_of_which_one_fails, embeddings, bad_request, cancel, listed):
    problem = None
    try:
        one()
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    print(json.dumps({"name": one.__name__.replace("_", " "), "problem": problem}), flush=True)
