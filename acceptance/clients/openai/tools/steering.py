"""What `steering.mjs` calls, by OpenAI's client for Python."""

import json
import os

import openai

client = openai.OpenAI()
poor = openai.OpenAI(api_key=os.environ["POOR_KEY"])


def call(by, label, more, headers={}):
    messages = [{"role": "user", "content": f"python: {label}"}]
    try:
        raw = by.chat.completions.with_raw_response.create(
            model="sandbox-text", messages=messages, extra_body=more, extra_headers={"x-call": label, **headers}
        )
        line = {"status": raw.status_code, "joined": raw.headers.get("holdfast-joined")}
    except openai.APIStatusError as error:
        line = {"status": error.status_code, "joined": None}
    print(json.dumps({"label": label, **line}))


key = {"Idempotency-Key": "python key"}
call(poor, "without balance", {})
call(client, "keyed", {}, key)
call(client, "keyed otherwise", {}, key)
call(client, "failing", {"fail": "GENERATION_FAILED"})
call(client, "overloaded", {"fail": "MODEL_OVERLOADED"})
call(client, "long", {"delay_ms": 3000})
