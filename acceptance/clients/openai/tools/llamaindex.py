"""LlamaIndex over OpenAI's API, with the base URL and the key of the environment. Prints a line for each call."""

import json
import os

from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.embeddings.openai_like import OpenAILikeEmbedding
from llama_index.llms.openai_like import OpenAILike

remote = {"api_base": os.environ["OPENAI_BASE_URL"], "api_key": os.environ["OPENAI_API_KEY"]}
llm = OpenAILike(model="gpt-4o-mini", is_chat_model=True, **remote)


def is_answer(text, to):
    assert text and to in text and text.endswith("That is all."), text


def llamaindex_chat():
    is_answer(llm.chat([ChatMessage(role="user", content="llama chat")]).message.content, "llama chat")


def llamaindex_stream():
    *_, last = llm.stream_chat([ChatMessage(role="user", content="llama stream")])
    is_answer(last.message.content, "llama stream")


def llamaindex_complete():
    older = OpenAILike(model="gpt-4o-mini", is_chat_model=False, **remote)
    is_answer(older.complete("llama prompt").text, "llama prompt")


def llamaindex_embeddings():
    embedder = OpenAILikeEmbedding(model_name="embedder", **remote)
    assert embedder.get_text_embedding("llama") == [0.5, -0.25, 0]


def llamaindex_tools():
    def weather(city: str) -> str:
        """The weather of a city."""

    caller = OpenAILike(model="gpt-4o-mini", is_chat_model=True, is_function_calling_model=True, **remote)
    called = caller.chat_with_tools([FunctionTool.from_defaults(weather)], user_msg="llama tools")
    [one] = caller.get_tool_calls_from_response(called)
    assert (one.tool_name, one.tool_kwargs) == ("weather", {"city": "Oslo"}), one


for one in (llamaindex_chat, llamaindex_stream, llamaindex_complete, llamaindex_embeddings, llamaindex_tools):
    problem = None
    try:
        one()
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    print(json.dumps({"name": one.__name__.replace("_", " "), "problem": problem}), flush=True)
