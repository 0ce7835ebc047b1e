"""Runs the samples in the README of Replicate's client for Python as they are written: nothing but the environment differs. Prints
a line for each."""

import ast
import asyncio
import base64
import inspect
import json
import os
import re
import tempfile
from importlib import metadata

import replicate

readme = metadata.metadata("replicate").get_payload()
os.chdir(tempfile.mkdtemp())
os.makedirs("path/to")
with open("path/to/mystery.jpg", "wb") as file:
    file.write(
        base64.b64decode(
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
        )
    )


def code_after(text):
    """The code after a text of the README."""
    return re.compile(r"^```python\n(.*?)^```$", re.M | re.S).search(readme, readme.index(text)).group(1)


def shown(code):
    """A session at the prompt as statements, each with the lines that are shown after it."""
    statements = []
    for line in code.splitlines():
        if line.startswith(">>> "):
            statements.append((line[4:], []))
        elif statements and line.startswith("    ") and not statements[-1][1]:
            statements[-1] = (f"{statements[-1][0]}\n{line}", [])
        elif line.strip():
            statements[-1][1].append(line)
    return statements


def run(code, **known):
    """Runs code, which may await, and returns its names."""
    names = {"replicate": replicate, **known}
    compiled = compile(code, "README.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    result = eval(compiled, names)
    if inspect.iscoroutine(result):
        asyncio.run(result)
    return names


def run_session(code, **known):
    """The same for a session, whose quoted values are compared. The time at which a run starts is not known."""
    names = {"replicate": replicate, **known}
    for statement, output in shown(code):
        expected = output[0] if len(output) == 1 else ""
        if re.fullmatch(r"'(starting|succeeded|canceled)'", expected):
            value = eval(statement, names)
            assert repr(value) == expected, (statement, value)
        else:
            exec(statement, names)
    return names


def is_png(file):
    assert file.read()[1:4] == b"PNG", file


def run_a_model():
    run_session(code_after("Create a new Python file and add the following code"))
    with open("output_0.webp", "rb") as file:
        is_png(file)


def run_a_model_that_may_fail():
    # The README forgets a colon.
    code = code_after("to get more information about the failure.").replace("as e\n", "as e:\n")
    is_png(run(code)["output"][0])


def run_several_at_once():
    results = run(code_after("run several predictions concurrently and wait"))["results"]
    assert len(results) == 4 and all(results), results


def run_a_model_with_a_file():
    # The README forgets that the file is not text.
    code = code_after("or a handle to a file on your local device.").replace('mystery.jpg")', 'mystery.jpg", "rb")')
    assert run_session(code)["output"]


def stream():
    run(code_after("Use the `stream` method to consume tokens"))


def stream_a_prediction():
    assert run(code_after("You can also stream the output of a prediction you create."))["prediction"].id


def run_in_the_background():
    code = code_after("You can start a model and run it in the background using async mode:")
    # What a prediction shows is a URL, there as here: only `run` makes files of it.
    prediction = run_session(code[: code.index(">>> with open")])["prediction"]
    assert prediction.output[0].startswith("data:image/png"), prediction


def get_a_webhook():
    assert run(code_after("You can run a model and get a webhook when it completes"))["prediction"].status == "starting"


def get_output_while_it_runs():
    run(code_after("Run a model and get its output while it's running:"))
    with open("file_0.png", "rb") as file:
        is_png(file)


def cancel_a_prediction():
    run_session(code_after("You can cancel a running prediction:"))


def list_predictions():
    run(code_after("You can list all the predictions you've run:"))
    assert run(code_after("You can get the next page of predictions by"))["page1"].results


def list_models():
    assert run(code_after("Lists of models are paginated."))["models"]


def list_hardware():
    run_session(code_after("Here's how to list of all the available hardware"))


for sample in [value for value in list(globals().values()) if inspect.isfunction(value) and value.__module__ == "__main__"]:
    if sample.__name__ in ("code_after", "shown", "run", "run_session", "is_png"):
        continue
    problem = None
    try:
        sample()
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    # The samples print, and not always whole lines.
    print("\n" + json.dumps({"name": sample.__name__.replace("_", " "), "problem": problem}), flush=True)
