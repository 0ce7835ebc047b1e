# What a real Gradio app serves in the acceptance suite: functions, which do what their arguments ask for.
import os
import time

import gradio as gr
from PIL import Image


def say(text, seconds, fail):
    print(f"start: {text}", flush=True)
    time.sleep(seconds or 0)
    if fail == "input":
        raise gr.Error("the text is too long")
    if fail:
        raise RuntimeError(fail)
    return f"hello {text}"


def image(text):
    print(f"start: {text}", flush=True)
    return Image.new("RGB", (64, 48), "red")


with gr.Blocks() as app:
    text, seconds, fail, said, picture = gr.Textbox(), gr.Number(), gr.Textbox(), gr.Textbox(), gr.Image()
    gr.Button().click(say, [text, seconds, fail], said, api_name="say", concurrency_limit=1)
    gr.Button().click(image, [text], picture, api_name="image")

app.queue(max_size=2).launch(server_name="127.0.0.1", server_port=int(os.environ["GRADIO_SERVER_PORT"]))
