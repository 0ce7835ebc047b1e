"""Runs an order at most once, however often this program is started or killed."""

import sys

from holdfast import Holdfast, WaitTimeoutError, derive_key

with Holdfast() as client:
    order = sys.argv[1]
    try:
        run = client.run("sandbox-text", {"prompt": order}, idempotency_key=derive_key({"order": order}), timeout=20)
        print(run.execution.id, run.output["text"])
    except WaitTimeoutError as error:
        print(f"{error.execution.id} is still running: start this program again")
