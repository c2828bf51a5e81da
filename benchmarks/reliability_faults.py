"""Faults of a model's provider, sent over the wire: runs that they cost, and calls after the first that was denied.

A server on a local socket speaks OpenAI's protocol and misbehaves; the command line asks it in a process of its own.
``faults`` is a row of reliability.py.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchmarks.command import MAIN
from drretail.experiment import read_runs

PASSING = ("429", "500", "529", "drop", "cut", "broken")
DENIED = {"401": "invalid_api_key", "403": "permission_error", "404": "model_not_found", "402": "billing_error"}
SIDE_BY_SIDE = 4
QUESTION = "Which bottle is the best?"
COUNTED = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
UNCOUNTED: Mapping[str, Mapping[str, Any] | None] = {
    "no usage": None,
    "0 tokens": dict.fromkeys(COUNTED, 0),
    "negative tokens": dict.fromkeys(COUNTED, -100),
    "10^12 tokens": dict.fromkeys(COUNTED, 10**12),
    "a part of it": {"completion_tokens": 20},
}
EXPERIMENT_CAP, RUN_CAP = 60_000, 40_000
"""Tokens: of some runs that search once, and of some searches."""
NOTE = "without a possible count of tokens"
RETRIED = {"DRRETAIL_MODEL_RETRIES": "5", "OPENAI_API_KEY": "sk-benchmark-0123456789"}


@dataclass
class Faults:
    """What a server is to do wrong, and what it did."""

    every: int = 0
    """Each so-manieth request meets the next passing fault."""
    denied: str | None = None
    usage: Mapping[str, Any] | None = field(default_factory=lambda: COUNTED)
    """What an answer says that it took; None leaves it out."""
    endless: bool = False
    """Every answer asks for another search."""
    after: int = 0
    """Requests that are answered before all others are denied."""
    asked: int = 0
    injected: int = 0
    answered: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next(self, body: Mapping[str, Any]) -> str | None:
        """The fault that this request meets. Trials of a model before its first run count as no answer."""
        with self.lock:
            self.asked += 1
            fault = self.denied if self.denied is not None and self.asked > self.after else None
            if self.every and self.asked % self.every == 0:
                fault = PASSING[self.injected % len(PASSING)]
            self.injected += fault is not None
            self.answered += fault is None and QUESTION in json.dumps(body)
            return fault


class Provider(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, faults: Faults) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.faults = faults

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has given up is part of the play."""

    def __enter__(self) -> "Provider":
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Nothing: the table is the output."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        faults: Faults = self.server.faults  # pyright: ignore[reportAttributeAccessIssue]  # a Provider
        fault = faults.next(body)
        answer = json.dumps(_answer(body["messages"], faults)).encode()
        if fault == "drop":
            self.close_connection = True
        elif fault == "cut":
            self._send(200, answer[: len(answer) // 2], len(answer))
            self.close_connection = True
        elif fault == "broken":
            self._send(200, answer[: len(answer) // 2])
        elif fault is not None:
            kind = DENIED.get(fault, "server_error")
            self._send(int(fault), json.dumps({"error": {"type": kind, "code": kind, "message": "injected"}}).encode())
        else:
            self._send(200, answer)

    def _send(self, status: int, data: bytes, length: int | None = None) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data) if length is None else length))
        self.send_header("retry-after-ms", "10")
        self.end_headers()
        self.wfile.write(data)


def _answer(messages: Sequence[dict[str, Any]], faults: Faults) -> dict[str, Any]:
    """One search, and then a report."""
    report = f"# Report\n\n{'Nothing here suits you better than what you have. ' * 8}\n\n```picks\n```"
    message: dict[str, Any] = {"role": "assistant", "content": report}
    turns = sum(entry["role"] == "tool" for entry in messages)
    if faults.endless or not turns:
        search = {"name": "product_catalog_search", "arguments": json.dumps({"query": f"bottle {turns}"})}
        message |= {"content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": search}]}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    counted = {} if faults.usage is None else {"usage": faults.usage}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], **counted}


def run(folder: Path, name: str, provider: Provider, repeats: int, *more: str) -> subprocess.CompletedProcess[str]:
    """Runs of react on one question, into a folder of that name."""
    queries = folder / "queries.jsonl"
    queries.write_text(json.dumps({"query_id": "q1", "text": QUESTION, "source": "benchmark"}) + "\n", "utf-8")
    address = f"http://127.0.0.1:{provider.server_port}/v1"
    command = ["run", "--no-floors", "--queries", str(queries), "--to", str(folder / name), "--repeats", str(repeats)]
    command += ["--vary", "without=web", "--parallel", str(SIDE_BY_SIDE), "--model", "openai:m", "--base-url", address]
    return _command(*command, *more or ("--json",))


def _command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 -- ourselves
        [sys.executable, "-c", MAIN, *arguments],
        env={**os.environ, **RETRIED},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def passing(folder: Path, repeats: int) -> tuple[int, list[str]]:
    """Faults that pass, in each third request; a run that ends otherwise than done is lost."""
    with Provider(Faults(every=3)) as provider:
        done = run(folder, "passing", provider, repeats)
        counts = json.loads(done.stdout)["systems"][0] if done.stdout else {"done": 0}
        lost = [f"{repeats - counts['done']} of {repeats} runs"] if counts["done"] != repeats else []
        return provider.faults.injected, lost


def denied(folder: Path, status: str, repeats: int, after: int) -> tuple[int, list[str]]:
    """A denial after so many answers: calls beyond those under way, what was paid and is gone, and how it is told."""
    name = f"denied-{status}-{after}"
    faults = Faults(denied=status, after=after)
    with Provider(faults) as provider:
        done = run(folder, name, provider, repeats)
        wasted = faults.injected - SIDE_BY_SIDE
        again = Faults()
        provider.faults = again
        resumed = run(folder, name, provider, repeats)
    return 1, list(_lost(status, done, resumed, wasted, faults.answered + again.answered - _used(folder / name)))


def _used(experiment: Path) -> int:
    """The answers that the recorded runs were made of."""
    return sum(used.calls for run in read_runs(experiment) for used in run.usage.values())


def _lost(
    status: str,
    done: subprocess.CompletedProcess[str],
    resumed: subprocess.CompletedProcess[str],
    wasted: int,
    twice: int,
) -> Iterator[str]:
    if wasted > 0:
        yield f"{status}: {wasted} calls after the first that was denied"
    if done.returncode != 2 or "OPENAI_API_KEY" not in done.stderr or "Traceback" in done.stderr:
        yield f"{status}: it ended with {done.returncode} and not in one sentence that names the variable"
    if resumed.returncode != 0:
        yield f"{status}: with the right key it did not go on"
    if twice:
        yield f"{status}: {twice} answers were paid for twice"


def faults(folder: Path, *, quick: bool = True) -> tuple[int, list[str]]:
    """How many faults were injected, and what was lost by them."""
    repeats = 12 if quick else 60
    tried, lost = passing(folder, repeats)
    for status in ("401",) if quick else DENIED:
        for after in (0, 7):
            more, found = denied(folder, status, repeats, after)
            tried += more
            lost += found
    return tried, lost


def uncounted(folder: Path, *, quick: bool = True) -> tuple[int, list[str]]:
    """How many caps were tried where a provider counts no tokens, or impossible ones, and which did not hold."""
    lost: list[str] = []
    for number, (form, usage) in enumerate(UNCOUNTED.items()):
        with Provider(Faults(usage=usage)) as provider:
            capped = run(folder, f"capped-{number}", provider, 12, "--max-tokens", str(EXPERIMENT_CAP))
        tokens = _tokens(folder / f"capped-{number}")
        if capped.returncode != 3 or not tokens or sum(tokens) > EXPERIMENT_CAP:
            lost.append(f"{form}, cap of the experiment: it ended with {capped.returncode}, runs took {tokens}")
        if NOTE not in " ".join(capped.stdout.split()):
            lost.append(f"{form}: the table does not say that tokens are estimated")
        page = folder / f"page-{number}.html"
        _command("report", str(folder / f"capped-{number}"), "--format", "html", "--to", str(page))
        if not page.is_file() or NOTE not in page.read_text("utf-8"):
            lost.append(f"{form}: the page does not say that tokens are estimated")
        with Provider(Faults(usage=usage, endless=True)) as provider:
            run(folder, f"limited-{number}", provider, 1 if quick else 4, "--limit", f"tokens={RUN_CAP}")
        tokens = _tokens(folder / f"limited-{number}")
        if not tokens or max(tokens) > RUN_CAP:
            lost.append(f"{form}, cap of a run: runs took {tokens}")
    return 2 * len(UNCOUNTED), lost


def _tokens(experiment: Path) -> list[int]:
    kinds = ("input_uncached", "cache_read", "cache_creation", "output")
    runs = read_runs(experiment)
    return [sum(getattr(used, kind) for used in run.usage.values() for kind in kinds) for run in runs]
