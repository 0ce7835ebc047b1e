"""Receives webhooks: WEBHOOK_SECRET=whsec_… python receiver.py"""

import os

from flask import Flask
from holdfast import WebhookEvent
from holdfast.frameworks.flask import webhook_view


def on_event(event: WebhookEvent) -> None:
    print(event.type, event, flush=True)


app = Flask("receiver")
view = webhook_view(os.environ["WEBHOOK_SECRET"], on_event)
app.add_url_rule("/hooks", view_func=view, methods=["POST"])

if __name__ == "__main__":
    app.run(port=int(os.environ.get("PORT", "8099")))
