# What real BentoML serves in the acceptance suite: tasks, which do what their input asks for.
import asyncio

import bentoml
import PIL.Image
from bentoml.exceptions import InvalidArgument


@bentoml.service(traffic={"timeout": 120})
class Acceptance:
    @bentoml.task
    async def image(self, text: str) -> PIL.Image.Image:
        print(f"start: {text}", flush=True)
        return PIL.Image.new("RGB", (64, 48), "red")

    @bentoml.task
    async def say(self, text: str, seconds: float = 0, fail: str = "") -> str:
        print(f"start: {text}", flush=True)
        await asyncio.sleep(seconds)
        if fail == "input":
            raise InvalidArgument("the text is too long")
        if fail:
            raise RuntimeError(fail)
        return f"hello {text}"
