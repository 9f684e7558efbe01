"""Serve a folder on the loopback and print its address: `python book/serve.py _build/html`."""

import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


def server(folder: str, port: int = 0) -> ThreadingHTTPServer:
    """A server of one folder on 127.0.0.1; port 0 takes a free one."""
    return ThreadingHTTPServer(("127.0.0.1", port), partial(Quiet, directory=folder))


if __name__ == "__main__":
    try:
        site = server(sys.argv[1], 8000)
    except OSError:  # 8000 is taken
        site = server(sys.argv[1])
    print(f"The book is at http://127.0.0.1:{site.server_port}/  (Ctrl+C ends it)", flush=True)
    try:
        site.serve_forever()
    except KeyboardInterrupt:
        print()
