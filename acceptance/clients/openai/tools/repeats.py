"""Calls by several clients at once, of which every seventh repeats a text that was said before. A user repeats a stream that breaks
off, and a call for which its client gives up. Prints a line for each call."""

import base64
import itertools
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import openai

client = openai.OpenAI(max_retries=int(os.environ["RETRIES"]))
count, width = int(os.environ["CALLS"]), int(os.environ["WIDTH"])
model = "gpt-4o-mini"
# A stream of it takes a while.
LONG = ", and so on" * 15
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
numbers = itertools.count()


def chat(text):
    messages = [{"role": "user", "content": text}]
    return client.chat.completions.create(model=model, messages=messages).choices[0].message.content


def stream(text):
    messages = [{"role": "user", "content": text}]
    chunks = client.chat.completions.create(model=model, messages=messages, stream=True)
    return "".join(one.choices[0].delta.content or "" for one in chunks if one.choices)


def response(text):
    return client.responses.create(model=model, input=text).output_text


def image_of(made):
    return "an image" if made.data[0].b64_json else "nothing"


def paint(prompt):
    return image_of(client.images.generate(model="gpt-image-1", prompt=prompt))


def paint_over(prompt):
    image = ("a.png", PNG, "image/png")
    return image_of(client.images.edit(model="gpt-image-1-edit", image=image, prompt=prompt))


kinds = [("chat", chat), ("stream", stream), ("response", response), ("paint", paint), ("paint over", paint_over)]


def until_it_works(call):
    for tries in itertools.count(1):
        try:
            return {"content": call(), "tries": tries}
        except Exception as error:
            if tries > 60 or getattr(error, "status_code", 500) < 500:
                raise
            time.sleep(0.2)


def loop(lane):
    while (call := next(numbers)) < count:
        name, kind = kinds[call % len(kinds)]
        text = f"{name}: python " + (f"lane {lane}" if call % 7 == 6 else str(call)) + LONG
        line = json.dumps({"text": text, **until_it_works(lambda: kind(text))})
        # At once: others write, too.
        sys.stdout.write(f"{line}\n")


with ThreadPoolExecutor(width) as pool:
    list(pool.map(loop, range(width)))
