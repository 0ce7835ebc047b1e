"""Frameworks over OpenAI's API: OPENAI_BASE_URL and OPENAI_API_KEY are all that they are told. Prints a line for each call."""

import json
import os

import instructor
import litellm

# LangChain counts tokens by a file that is fetched, unless this has set the place of LiteLLM's.
import litellm.litellm_core_utils.default_encoding
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from openai import OpenAI
from pydantic import BaseModel

base, key, model = os.environ["OPENAI_BASE_URL"], os.environ["OPENAI_API_KEY"], "gpt-4o-mini"
remote = {"api_base": base, "api_key": key}
chat = ChatOpenAI(model=model)
wav = bytes.fromhex("524946464c1f000057415645666d74201000000001000100401f0000803e00000200100064617461401f0000") + bytes(8000)
city = {"type": "object", "properties": {"city": {"type": "string"}}}


class Person(BaseModel):
    name: str
    age: int


def is_answer(text, to):
    assert text and to in text and text.endswith("That is all."), text


def said(text):
    return [{"role": "user", "content": text}]


def langchain_invoke():
    is_answer(chat.invoke("langchain python").content, "langchain python")


def langchain_stream():
    is_answer("".join(one.content for one in chat.stream("langchain stream, python")), "langchain stream")


def langchain_structured():
    assert chat.with_structured_output(Person).invoke("langchain object, python").name == "Ada"


def langchain_responses():
    found = ChatOpenAI(model=model, use_responses_api=True).invoke("langchain responses, python")
    is_answer(found.text if isinstance(found.text, str) else found.text(), "langchain responses")


def langchain_tools():
    bound = chat.bind_tools([{"type": "function", "function": {"name": "weather", "parameters": city}}])
    [one] = bound.invoke("langchain tools, python").tool_calls
    assert one["args"] == {"city": "Oslo"}, one


def langchain_embeddings():
    embeddings = OpenAIEmbeddings(model="embedder", check_embedding_ctx_length=False)
    assert embeddings.embed_query("langchain, python") == [0.5, -0.25, 0]


def langchain_embeddings_as_tokens():
    assert OpenAIEmbeddings(model="embedder").embed_documents(["one", "two"])[1] == [0.5, -0.25, 1]


def litellm_completion():
    found = litellm.completion(model=f"openai/{model}", messages=said("litellm"), **remote)
    is_answer(found.choices[0].message.content, "litellm")


def litellm_stream():
    chunks = litellm.completion(model=f"openai/{model}", messages=said("litellm stream"), stream=True, **remote)
    is_answer("".join(one.choices[0].delta.content or "" for one in chunks), "litellm stream")


def litellm_embedding():
    found = litellm.embedding(model="openai/embedder", input=["litellm"], **remote)
    assert found.data[0]["embedding"] == [0.5, -0.25, 0], found


def litellm_responses():
    found = litellm.responses(model=f"openai/{model}", input="litellm responses", **remote)
    is_answer(found.output[0].content[0].text, "litellm responses")


def litellm_image():
    found = litellm.image_generation(model="openai/gpt-image-1", prompt="litellm", **remote)
    assert found.data[0].b64_json.startswith("iVBOR")


def litellm_speech():
    found = litellm.speech(model="openai/speaker", voice="alloy", input="litellm", **remote)
    assert len(found.content) == 3000


def litellm_transcription():
    found = litellm.transcription(model="openai/whisper-1", file=("a.wav", wav), **remote)
    assert found.text == "hello there", found


def instructor_tools():
    client = instructor.from_openai(OpenAI(), mode=instructor.Mode.TOOLS)
    found = client.chat.completions.create(model=model, response_model=Person, messages=said("instructor"))
    assert (found.name, found.age) == ("Ada", 36), found


def instructor_json():
    client = instructor.from_openai(OpenAI(), mode=instructor.Mode.JSON)
    found = client.chat.completions.create(model=model, response_model=Person, messages=said("instructor json"))
    assert (found.name, found.age) == ("Ada", 36), found


for one in [value for name, value in globals().items() if name.startswith(("langchain_", "litellm_", "instructor_"))]:
    problem = None
    try:
        one()
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    print(json.dumps({"name": one.__name__.replace("_", " "), "problem": problem}), flush=True)
