#!/usr/bin/env python3
"""An agent behind an HTTP address, with the standard library alone. In one terminal and then in another:

python examples/http_agent.py 8099
drretail ask "Which bird feeder suits me?" --agent http://127.0.0.1:8099/
"""

import json
import subprocess
import sys
from argparse import ArgumentParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SCRIPT = Path(__file__).with_name("script_agent.py")


class Agent(BaseHTTPRequestHandler):
    """Has each question answered by the script, which takes the same JSON: put a model of your own here."""

    def do_POST(self) -> None:
        question = self.rfile.read(int(self.headers["Content-Length"]))
        answered = subprocess.run([sys.executable, SCRIPT], input=question, capture_output=True, check=False)
        self.send_response(200 if answered.returncode == 0 else 500)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(answered.stdout if answered.returncode == 0 else json.dumps("the script failed").encode())


if __name__ == "__main__":
    parser = ArgumentParser()
    parser.add_argument("port", type=int)
    with ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), Agent) as server:
        print(f"http://127.0.0.1:{server.server_port}/", flush=True)
        server.serve_forever()
