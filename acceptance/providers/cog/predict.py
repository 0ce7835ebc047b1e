# The model that real Cog serves in the acceptance suite: it does what its input asks for.
import os
import tempfile
import time
from typing import Any

from cog import BaseRunner, Path


class Runner(BaseRunner):
    def run(
        self,
        prompt: str,
        kind: str = "text",
        seconds: float = 0,
        size_bytes: int = 0,
        fail: str = "",
        die: bool = False,
        image: Path = None,
    ) -> Any:
        print(f"start: {prompt}", flush=True)
        if image is not None:
            print(f"input: {os.path.splitext(str(image))[1]} {os.path.getsize(str(image))} bytes", flush=True)
        if die:
            os._exit(1)
        steps = round(seconds * 4)
        for step in range(1, steps + 1):
            time.sleep(0.25)
            print(f" {100 * step // steps}%|##   | {step}/{steps}", flush=True)
        if fail:
            raise ValueError(fail)
        if kind == "stream":
            return (f"{word} " for word in prompt.split())
        if kind == "images":
            return [Path(self.picture(size_bytes))]
        return f"hello {prompt}"

    def picture(self, size_bytes):
        # A PNG of one pixel; what follows its end is ignored by readers.
        png = bytes.fromhex(
            "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
            "1f15c4890000000d49444154789c6360f8cf500f00038601801a347d6b"
            "0000000049454e44ae426082"
        )
        path = os.path.join(tempfile.mkdtemp(), "picture.png")
        with open(path, "wb") as file:
            file.write(png + os.urandom(size_bytes))
        return path
