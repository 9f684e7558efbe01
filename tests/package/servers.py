"""A small HTTP server for the tests, on the loopback, that answers as it is told: well, badly, slowly, never."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Reply = Callable[[BaseHTTPRequestHandler], None]


class Server(ThreadingHTTPServer):
    """Gives its replies in turn, the last one for ever; keeps what it was asked."""

    daemon_threads = True

    def __init__(self, replies: tuple[Reply, ...]):
        super().__init__(("127.0.0.1", 0), Handler)
        self.replies, self.asked = list(replies), []
        self.headers_seen: list[Message] = []
        self.stopping = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request, client_address):
        """A client that has hung up is no fault of the test's."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append((self.path, json.loads(body)))
        self.server.headers_seen.append(self.headers)
        self.close_connection = True
        reply = self.server.replies[0] if len(self.server.replies) == 1 else self.server.replies.pop(0)
        reply(self)

    def log_message(self, *args):
        pass


@contextmanager
def serving(*replies: Reply) -> Iterator[Server]:
    server = Server(replies)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join()


def status(code: int, message: str = "no", **headers: str) -> Reply:
    """An error as OpenAI-compatible servers word it."""
    return body(json.dumps({"error": {"message": message}}), code, **headers)


def body(text: str, code: int = 200, kind: str = "application/json", **headers: str) -> Reply:
    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(code)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(text.encode())))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(text.encode())

    return reply


def silence(seconds: float) -> Reply:
    """Not a byte, for so long (or until the server is stopped)."""
    return lambda handler: handler.server.stopping.wait(seconds)


def stream(*parts: bytes | float, chunked: bool = True, whole: bool = True) -> Reply:
    """Bytes one write each; a number waits so many seconds. whole=False hangs up without the last chunk."""

    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        if chunked:
            handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for part in parts:
            if isinstance(part, float):
                if handler.server.stopping.wait(part):
                    return
                continue
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(part), part) if chunked else part)
            handler.wfile.flush()
        if chunked and whole:
            handler.wfile.write(b"0\r\n\r\n")

    return reply


def said(text: str | None, finish: str | None = None, chat: bool = True) -> bytes:
    """One event of a stream: a piece of text, as a chat or as a completion."""
    choice = {"index": 0, "finish_reason": finish} | (
        {"delta": {} if text is None else {"content": text}} if chat else {"text": text}
    )
    event = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return b"data: " + json.dumps(event, ensure_ascii=False).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"
