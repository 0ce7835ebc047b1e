"""Prints the output of a model while it is made, and what it cost."""

from holdfast import Holdfast

with Holdfast() as client:
    stream = client.stream("sandbox-text", {"prompt": "A lighthouse", "tokens": 40})
    for delta in stream:
        print(delta, end="", flush=True)
    execution = stream.final().execution
    print(f"\n{execution.id} cost {execution.cost}")
