"""A receiver of fal's webhooks, which verifies them step by step as fal's documentation says."""

import base64
import hashlib
import json
import queue
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import httpx
from nacl.encoding import HexEncoder
from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

LEEWAY_S = 300


def is_authentic(headers, body, jwks_url):
    names = ("Request-Id", "User-Id", "Timestamp", "Signature")
    request_id, user_id, timestamp, signature = [headers[f"X-Fal-Webhook-{name}"] for name in names]
    if abs(time.time() - int(timestamp)) > LEEWAY_S:
        return False
    digest = hashlib.sha256(body).hexdigest()
    message = "\n".join([request_id, user_id, timestamp, digest]).encode("utf-8")
    for key in httpx.get(jwks_url).json()["keys"]:
        try:
            # Without padding of its own, as there.
            VerifyKey(base64.urlsafe_b64decode(key["x"]).hex(), encoder=HexEncoder).verify(
                message, bytes.fromhex(signature)
            )
            return True
        except BadSignatureError:
            continue
    return False


@contextmanager
def receiver(jwks_url):
    """Gives a URL and a queue of what arrives there."""
    calls = queue.Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            is_verified = is_authentic(self.headers, body, jwks_url)
            is_forged = is_authentic(self.headers, body + b" ", jwks_url)
            self.send_response(200)
            self.end_headers()
            calls.put({**json.loads(body), "is_verified": is_verified and not is_forged})

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", calls
    finally:
        server.shutdown()
