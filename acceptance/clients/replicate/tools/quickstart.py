"""The steps of Replicate's guides for Python, where nothing but the environment differs. Prints a line for each."""

import asyncio
import json
import tempfile

import replicate

steps = []


def step(function):
    steps.append(function)
    return function


@step
def run_a_model_and_save_its_output():
    output = replicate.run(
        "black-forest-labs/flux-schnell",
        input={"prompt": "an iguana on the beach, pointillism", "num_outputs": 1},
    )
    with tempfile.TemporaryFile() as file:
        file.write(output[0].read())
        file.seek(1)
        assert file.read(3) == b"PNG"


@step
def stream_the_output_of_a_language_model():
    written = ""
    for event in replicate.stream("meta/meta-llama-3-70b-instruct", input={"prompt": "a haiku about llamas"}):
        written += str(event)
    assert "a haiku about llamas" in written, written


@step
def run_a_model_in_the_background():
    prediction = replicate.predictions.create(
        model="black-forest-labs/flux-schnell", input={"prompt": "an iguana, again"}
    )
    prediction.reload()
    prediction.wait()
    assert prediction.output[0].startswith("data:image/png"), prediction


@step
def run_several_at_once():
    async def run():
        async with asyncio.TaskGroup() as group:
            prompts = [f"A chariot pulled by a team of {count} rainbow unicorns" for count in ("two", "four", "six")]
            return [
                group.create_task(replicate.async_run("black-forest-labs/flux-schnell", input={"prompt": one}))
                for one in prompts
            ]

    results = [one.result() for one in asyncio.run(run())]
    assert len(results) == 3 and all(results), results


for one in steps:
    problem = None
    try:
        one()
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    print(json.dumps({"name": one.__name__.replace("_", " "), "problem": problem}), flush=True)
