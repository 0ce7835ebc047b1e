"""Calls by several clients at once, each of which repeats what it loses by itself. Prints a line for each call."""

import json
import os
from concurrent.futures import ThreadPoolExecutor

import fal_client

kinds = [fal_client.run, fal_client.subscribe]


def call(number):
    prompt = f"python {number}."
    arguments = {"prompt": prompt, "delay_ms": 100}
    output = kinds[number % len(kinds)]("sandbox/sandbox-text", arguments=arguments)
    return {"prompt": prompt, "output": output["output"]}


with ThreadPoolExecutor(int(os.environ["WIDTH"])) as pool:
    for line in pool.map(call, range(int(os.environ["CALLS"]))):
        print(json.dumps(line), flush=True)
