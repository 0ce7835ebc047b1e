"""The samples of fal's README for Python, where nothing but the configuration differs. Prints a line for each."""

import asyncio
import json
import os
import tempfile

import fal_client

samples = []


def sample(function):
    samples.append(function)
    return function


@sample
def getting_started():
    response = fal_client.run("fal-ai/fast-sdxl", arguments={"prompt": "a cute cat, realistic, orange"})
    return response["images"][0]["url"]


@sample
def asynchronous_requests():
    async def main():
        response = await fal_client.run_async(
            "fal-ai/fast-sdxl", arguments={"prompt": "another cute cat, realistic, orange"}
        )
        return response["images"][0]["url"]

    return asyncio.run(main())


@sample
def uploading_files():
    # There the addresses are fixed.
    fal_client.client.REST_URL = fal_client.client.CDN_URL = f"https://rest.{os.environ['FAL_RUN_HOST']}"
    audio_url = fal_client.upload_file(audio.name)
    response = fal_client.run("fal-ai/whisper", arguments={"audio_url": audio_url})
    return response["text"]


@sample
def encoding_files_as_in_memory_data_urls():
    audio_data_url = fal_client.encode_file(audio.name)
    response = fal_client.run("fal-ai/whisper", arguments={"audio_url": audio_data_url})
    return response["text"]


@sample
def queuing_requests():
    async def main():
        client = fal_client.AsyncClient()
        response = await client.submit(
            "fal-ai/fast-sdxl", arguments={"prompt": "a third cute cat, realistic, orange"}
        )

        logs_index = 0
        async for event in response.iter_events(with_logs=True):
            if isinstance(event, fal_client.Queued):
                print("# Queued. Position:", event.position)
            elif isinstance(event, (fal_client.InProgress, fal_client.Completed)):
                new_logs = event.logs[logs_index:]
                for log in new_logs:
                    print("#", log["message"])
                logs_index = len(event.logs)

        result = await response.get()
        return result["images"][0]["url"]

    return asyncio.run(main())


with tempfile.NamedTemporaryFile(suffix=".wav") as audio:
    audio.write(b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0data\0\0\0\0")
    audio.flush()
    for one in samples:
        try:
            problem = None if one() else "nothing came"
        except Exception as error:
            problem = repr(error)
        print(json.dumps({"name": one.__name__, "problem": problem}), flush=True)
