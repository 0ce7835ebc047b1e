"""Calls by several clients at once, whose users repeat what is lost: the client does not. Prints a line for each call."""

import json
import os
from concurrent.futures import ThreadPoolExecutor

import httpx
import replicate


def call(number):
    prompt = f"python {number}."
    while True:
        try:
            output = replicate.run("sandbox/sandbox-text", input={"prompt": prompt, "delay_ms": 200})
            return {"prompt": prompt, "output": "".join(output)}
        except httpx.TransportError:
            continue


with ThreadPoolExecutor(int(os.environ["WIDTH"])) as pool:
    for line in pool.map(call, range(int(os.environ["CALLS"]))):
        print(json.dumps(line), flush=True)
