# Outputs of a server with https by Replicate's client for Python. Prints a line for each call.
import json
import os

import httpx
import replicate

model = "sandbox/sandbox-image"
files = []


def run():
    files.extend(replicate.run(model, input={"prompt": "over https, python"}))
    assert files[0].url.startswith(os.environ["REPLICATE_BASE_URL"] + "/output/"), files[0].url
    assert files[0].read()[1:4] == b"PNG"


def output_without_a_key():
    response = httpx.get(files[0].url)
    assert response.headers["content-type"] == "image/png" and response.content[1:4] == b"PNG", response


def stream():
    [file] = replicate.run(model, input={"prompt": "a stream over https, python"})
    assert b"".join(file)[1:4] == b"PNG"


for one in (run, output_without_a_key, stream):
    problem = None
    try:
        one()
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    print(json.dumps({"name": one.__name__.replace("_", " "), "problem": problem}), flush=True)
