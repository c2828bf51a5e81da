"""The two servers of this machine, ``vote`` and MCP over HTTP, under intruders and crowds."""

import itertools
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import httpx

from drretail.experiments.experiment import read_runs

from .bench import MAIN, Bench, Row
from .provider import command

MODES = ("vote", "rate", "label")
PLAN = 21
"""Sheets of each kind, as far as the experiment has so many: with ``--n`` a server makes the ballots."""
PROTOCOL = "2025-06-18"
HELLO = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "1"}}
WORDS = ("bottle", "lamp", "filter", "brush", "holder", "mat", "rack", "towel")
PATHS = ("/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd", "/....//etc/passwd", "//etc/passwd")
FILES = ("/experiment.json%00.html", "/gold.jsonl", "/runs/", "/votes/", "/%5c..%5cetc")
AT_ONCE = 200


@dataclass(frozen=True)
class Server:
    """A server that answers: where, and the token that it has printed."""

    kind: Literal["vote", "mcp"]
    base: str
    token: str

    @property
    def port(self) -> int:
        return int(self.base.rpartition(":")[2])


@dataclass
class Asked:
    """What one kind of asker met; threads add to it."""

    seconds: list[float] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    @property
    def slowest(self) -> str:
        """What 99 of 100 answers took at most."""
        ordered = sorted(self.seconds) or [0.0]
        return f"{ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]:.1f} s"


@contextmanager
def serving(place: Path, *arguments: str) -> Generator[Server]:
    """A command that serves, until the end of the block."""
    environment = {**os.environ, "DRRETAIL_CACHE_DIR": str(place / "cache"), "PYTHONUNBUFFERED": "1", "COLUMNS": "300"}
    process = subprocess.Popen(  # noqa: S603 -- ourselves
        [sys.executable, "-c", MAIN, *arguments],
        cwd=place,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    assert process.stdout is not None
    printed = ""
    pattern = r"(http://[^/\s]+)/\?\S*?=(\S+)" if arguments[0] == "vote" else r"(http://[^/\s]+)[\s\S]*Bearer (\S+)\n"
    while (found := re.search(pattern, printed)) is None:
        line = process.stdout.readline().decode()
        assert line, f"{arguments} ended: {printed}"
        printed += line
    try:
        yield Server("vote" if arguments[0] == "vote" else "mcp", found[1], found[2])
    finally:
        process.terminate()
        process.wait()


@contextmanager
def both(place: Path) -> Generator[tuple[Server, Server]]:
    with serving(place, "vote", "exp") as vote, serving(place, "mcp", "--http", "--world", "w") as mcp:
        yield vote, mcp


def intruders(bench: Bench) -> Row:
    """Requests without a token, from other pages and names, to other files, too large, too slow, and never ended."""
    row = Row(
        "intruders",
        "no token, another Host or Origin, paths out of the folder, large and slow bodies, 100 silent clients",
    )
    with bench.place() as place, both(place) as servers:
        for server in servers:
            for name, status, headers, path, body in requests_of(server):
                row.tried += 1
                with suppress(httpx.HTTPError):
                    answer = httpx.request(
                        "POST" if body else "GET", server.base + path, headers=headers, content=body, timeout=20
                    )
                    if answer.status_code not in status:
                        row.add("leaked", f"{server.kind}, {name}: {answer.status_code} {answer.text[:100]!r}")
                    if "root:" in answer.text or answer.status_code >= 500:
                        row.add("wrong", f"{server.kind}, {name}: {answer.status_code} {answer.text[:100]!r}")
            silent(row, server)
            row.tried += 1
            if not is_answering(server):
                row.add("lost", f"{server.kind}: it answers nobody any more")
    vanishing(bench, row)
    return row


Request = tuple[str, tuple[int, ...], Mapping[str, str], str, bytes]


def requests_of(server: Server) -> list[Request]:
    """What it must refuse: a name, the status codes that refuse, headers, a path and a body."""
    refused = (400, 401, 403, 404, 405, 413, 421)
    known = headers_of(server)
    path = "/vote" if server.kind == "vote" else "/mcp"
    cases: list[Request] = [
        ("no token", refused, {}, path, b""),
        ("a wrong token", refused, wrong_token(server), path, b""),
        ("half a token", refused, headers_of(server, server.token[:-1]), path, b""),
        ("another host", refused, known | {"host": "evil.example"}, path, b""),
        ("a host that ends alike", refused, known | {"host": f"127.0.0.1.evil.example:{server.port}"}, path, b""),
        ("another origin", refused, known | {"origin": "https://evil.example"}, path, b"{}"),
        ("a null origin", refused, known | {"origin": "null"}, path, b"{}"),
        ("a large body", refused, known | {"origin": server.base}, path, b"x" * 20_000_000),
    ]
    cases += [(f"the path {way}", refused, known, way, b"") for way in (*PATHS, *FILES)]
    return cases


def headers_of(server: Server, token: str | None = None) -> dict[str, str]:
    token = server.token if token is None else token
    if server.kind == "mcp":
        return {"authorization": f"Bearer {token}", "accept": "application/json, text/event-stream"}
    with httpx.Client(base_url=server.base, follow_redirects=True) as client:
        client.get(f"/?token={token}")
        return {"cookie": "; ".join(f"{name}={value}" for name, value in client.cookies.items())}


def wrong_token(server: Server) -> dict[str, str]:
    return headers_of(server, "0" * len(server.token))


def silent(row: Row, server: Server) -> None:
    """A hundred clients that send half a request and no more; the server has to answer others meanwhile."""
    held: list[socket.socket] = []
    try:
        for number in range(100):
            client = socket.create_connection(("127.0.0.1", server.port), timeout=20)
            head = f"POST / HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
            client.sendall((head + ("Content-Length: 1000\r\n\r\nx" if number % 2 else "")).encode())
            held.append(client)
        row.tried += len(held)
        began = time.monotonic()
        if not is_answering(server) or time.monotonic() - began > 5:
            row.add("lost", f"{server.kind}: 100 silent clients keep it from answering")
    finally:
        for client in held:
            client.close()


def is_answering(server: Server) -> bool:
    with suppress(httpx.HTTPError):
        if server.kind == "vote":
            return httpx.get(f"{server.base}/vote", headers=headers_of(server), timeout=20).status_code == 200
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
        return httpx.post(f"{server.base}/mcp", headers=headers_of(server), json=message, timeout=20).status_code == 200
    return False


def vanishing(bench: Bench, row: Row) -> None:
    """Clients of MCP that only initialise, and go: the next one has a place at once."""
    with bench.place() as place, serving(place, "mcp", "--http", "--world", "w") as server:
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
        for _ in range(bench.tries(70, 200)):
            row.tried += 1
            with suppress(httpx.HTTPError):
                httpx.post(f"{server.base}/mcp", headers=headers_of(server), json=message, timeout=20)
        if not is_answering(server):
            row.add("lost", "mcp: clients that only initialise keep their places")


def crowds(bench: Bench) -> Row:
    """Many readers, voters and MCP clients at once: votes that are not in the folder, calls without an answer."""
    seconds, readers, voters, sessions = (2, 3, 2, 3) if bench.quick else (20, 100, 10, 100)
    row = Row("crowds", f"{readers} readers and {voters} voters, {sessions} clients of MCP")
    reading, voting, calling, cast = Asked(), Asked(), Asked(), list[str]()
    with bench.place() as place:
        ended = command(place, "demo", "--to", "demo", "--quiet")
        assert ended.code in (0, 3), ended.output
        with serving(place, "vote", "demo/recorded", "--n", str(PLAN)) as server:
            askers = [reader(server, reading)] * readers
            askers += [voter(server, f"Voter {number}", voting, cast) for number in range(voters)]
            together(askers, seconds)
        kept = sum(len(path.read_text("utf-8").splitlines()) for path in place.glob("demo/recorded/votes/*.jsonl"))
        if len(cast) > kept:
            row.add("lost", f"{len(cast) - kept} of {len(cast)} votes are not in the folder")
        with serving(place, "mcp", "--http") as mcp:
            together([session(mcp, number, calling) for number in range(sessions)], seconds)
    for asked in (reading, voting, calling):
        row.tried += len(asked.seconds)
        for problem in asked.lost:
            row.add("lost", problem)
    row.what += f" (99 of 100 answers within {reading.slowest}, {voting.slowest} and {calling.slowest})"
    return row


def together(askers: Sequence[Callable[[float], None]], seconds: float) -> None:
    """All of them at once, each in a thread, until the time is over."""
    until = time.monotonic() + seconds
    threads = [threading.Thread(target=asker, args=(until,)) for asker in askers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def timed(asked: Asked, ask: Callable[[], httpx.Response], what: str) -> httpx.Response | None:
    """The answer; what is none, or no good one, is lost."""
    began = time.monotonic()
    try:
        answer = ask()
    except httpx.HTTPError as problem:
        asked.lost.append(f"{what}: {problem!r}")
        return None
    asked.seconds.append(time.monotonic() - began)
    if answer.status_code >= 400:
        asked.lost.append(f"{what}: {answer.status_code}")
        return None
    return answer


def reader(server: Server, asked: Asked) -> Callable[[float], None]:
    def read(until: float) -> None:
        with httpx.Client(base_url=server.base, headers=headers_of(server), timeout=60) as client:
            while time.monotonic() < until:
                timed(asked, lambda: client.get("/vote"), "/vote")

    return read


def voter(server: Server, name: str, asked: Asked, cast: list[str]) -> Callable[[float], None]:
    """Opens one sheet after the other and answers all that it asks, with another answer in each round.

    ``cast`` keeps what was taken.
    """

    def vote(until: float) -> None:
        # As browsers send an origin: without it nothing is taken.
        with httpx.Client(
            base_url=server.base, headers={"origin": server.base}, timeout=60, follow_redirects=True
        ) as client:
            client.get(f"/?token={server.token}").raise_for_status()
            client.post("/name", data={"name": name, "back": "vote"}).raise_for_status()
            totals = {mode: _total(client.get(f"/{mode}/1").text) for mode in MODES}
            places = [f"/{mode}/{number}" for mode in MODES for number in range(1, totals[mode] + 1)]
            assert places, "nothing to vote on"
            for turn, place in ((turn, place) for turn in itertools.count() for place in places):
                sheet = timed(asked, lambda place=place: client.get(place), place)
                for question, values in _questions(sheet.text) if sheet is not None else ():
                    if time.monotonic() > until:
                        return
                    sent = {"question": question, "value": values[turn % len(values)]}
                    if timed(asked, lambda place=place, sent=sent: client.post(place, json=sent), place) is not None:
                        cast.append(f"{name} {place} {question}")

    return vote


def _total(sheet: str) -> int:
    found = re.search(r'data-total="(\d+)"', sheet)
    return int(found[1]) if found is not None else 0


def _questions(sheet: str) -> list[tuple[str, list[str]]]:
    """What a sheet asks, and the answers that can be chosen."""
    asked = re.split(r'data-question="([^"]+)"', sheet)[1:]
    return [
        (name, re.findall(r'data-value="([^"]+)"', rest)) for name, rest in zip(asked[::2], asked[1::2], strict=True)
    ]


def session(mcp: Server, number: int, asked: Asked) -> Callable[[float], None]:
    """A client of MCP that searches, and says goodbye."""

    def ask(until: float) -> None:
        def message(method: str, **params: Any) -> dict[str, Any]:
            return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}

        address = f"{mcp.base}/mcp"
        with httpx.Client(headers=headers_of(mcp), timeout=60) as client:
            hello = timed(asked, lambda: client.post(address, json=message("initialize", **HELLO)), "initialize")
            if hello is None:
                return
            client.headers.update({"mcp-session-id": hello.headers["mcp-session-id"], "mcp-protocol-version": PROTOCOL})
            client.post(address, json={"jsonrpc": "2.0", "method": "notifications/initialized"})
            for turn in itertools.count(number):
                if time.monotonic() > until:
                    break
                search = {"name": "product_catalog_search", "arguments": {"query": WORDS[turn % len(WORDS)]}}
                asking = message("tools/call", **search)
                answer = timed(asked, lambda asking=asking: client.post(address, json=asking), "search")
                if answer is not None and answer.json().get("result", {}).get("isError"):
                    asked.lost.append(f"search: {answer.text[:200]}")
            client.delete(address)

    return ask


def parallel_runs(bench: Bench) -> Row:
    """Runs that go on all at once on a world of MongoDB and Elasticsearch, against the same in a folder."""
    row = Row("parallel runs", f"{AT_ONCE} runs at once on a world on MongoDB and Elasticsearch, against a folder's")
    if not {"MONGO_URL", "ES_URL"} <= set(os.environ):
        row.what += "; not tried without MONGO_URL and ES_URL"
        return row
    world = f"servers:reliability-{os.getpid()}"
    with bench.place() as place:
        reports: list[dict[str, str | None]] = []
        for where, at_once in (("shop", 4), (world, AT_ONCE)):
            if where == world:
                command(place, "world", "copy", "shop", world)
            asked = ("--queries", "q.jsonl", "--agent", "react", "--no-floors", "--repeats", str(AT_ONCE))
            ended = command(place, "run", "--world", where, *asked, "--to", f"on-{at_once}", "--parallel", str(at_once))
            if ended.code:
                row.add("wrong", f"on {where}: {ended.code}: {ended.output[-300:]}")
            reports.append({run.run_id: run.report_sha for run in read_runs(place / f"on-{at_once}")})
    row.tried = len(reports[0])
    for run_id, sha in reports[0].items():
        if sha is None or reports[1].get(run_id) != sha:
            row.add("lost", run_id)
    return row
