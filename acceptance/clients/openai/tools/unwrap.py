"""What `unwrap.mjs` reads, by OpenAI's client for Python."""

import json
import os

import openai

client = openai.OpenAI()
for webhook in json.loads(os.environ["WEBHOOKS"]):
    event = client.webhooks.unwrap(webhook["body"], webhook["headers"], secret=os.environ["SECRET"])
    print(event.model_dump_json())
