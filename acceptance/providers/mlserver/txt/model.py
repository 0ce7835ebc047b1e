# What real MLServer serves in the acceptance suite: a text in, a text out.
import asyncio
from typing import List

from mlserver import MLModel
from mlserver.codecs import decode_args


class Text(MLModel):
    async def load(self) -> bool:
        return True

    @decode_args
    async def predict(self, prompt: List[str]) -> List[str]:
        print(f"start: {prompt[0]}", flush=True)
        if prompt[0] == "break down":
            raise RuntimeError("boom")
        if prompt[0] == "take long":
            await asyncio.sleep(30)
        return [f"hello {one}" for one in prompt]
