"""Runs a model for many inputs, at most ten at once."""

import asyncio

from holdfast import AsyncHoldfast, HoldfastError


async def main() -> None:
    slots = asyncio.Semaphore(10)

    async def ask(client: AsyncHoldfast, prompt: str) -> str:
        async with slots:
            try:
                return (await client.run("sandbox-text", {"prompt": prompt})).output["text"]
            except HoldfastError as error:
                return f"{error.code}: {error}"

    async with AsyncHoldfast() as client:
        for answer in await asyncio.gather(*[ask(client, f"Question {n}") for n in range(25)]):
            print(answer)


asyncio.run(main())
