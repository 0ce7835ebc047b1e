"""Runs a model and shows its progress."""

from holdfast import Holdfast

with Holdfast() as client:
    run = client.run("sandbox-image", {"prompt": "A lighthouse", "delay_ms": 1000}, on_progress=print)
    run.output["images"][0].save("lighthouse.png")
    print(run.execution.cost)
