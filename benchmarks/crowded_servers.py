"""How long the two servers of this machine take while many ask: ``view`` with its votes, and MCP over HTTP.

    PYTHONPATH=. python benchmarks/crowded_servers.py [--seconds 20] [--readers 50] [--voters 10] [--sessions 50]

Each is a process of its own, asked by one reader first and then by all. A row says how long an answer took, beside the
limit below which nobody waits, and what was lost: votes that are not in the folder, calls without an answer.
"""

import argparse
import itertools
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from command import MAIN
from figures import keep, parser_of

LIMIT = 1.0
"""Seconds in which 99 of 100 answers are to be there, on two cores that the askers share."""
MODES = ("vote", "rate", "label")
PLAN = 21
"""Sheets of each kind, as far as the experiment has so many: with ``--n`` a server makes the ballots."""
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}
WORDS = ("bottle", "lamp", "filter", "brush", "holder", "mat", "rack", "towel")


@dataclass
class Asked:
    """What one kind of asker met; threads add to it."""

    seconds: list[float] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def row(self, name: str) -> str:
        if not self.seconds:  # nothing came within the time
            return f"| {name} | 0 | – | – | – | {len(self.lost)} |"
        ordered = sorted(self.seconds)
        worst = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
        cells = (f"{1000 * statistics.median(ordered):.0f} ms", f"{1000 * worst:.0f} ms", f"{worst / LIMIT:.2f}")
        return f"| {name} | {len(ordered):,} | {' | '.join(cells)} | {len(self.lost)} |"


@contextmanager
def served(*arguments: str, folder: Path) -> Generator[str]:
    """What a command prints when it is there to answer; it ends with the block."""
    environment = {**os.environ, "DRRETAIL_CACHE_DIR": str(folder / "cache"), "PYTHONUNBUFFERED": "1", "COLUMNS": "300"}
    process = subprocess.Popen(  # noqa: S603 -- ourselves
        [sys.executable, "-c", MAIN, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    )
    assert process.stdout is not None
    printed = b""
    while not re.search(rb"http://\S+[\s\S]*\n" if arguments[0] == "view" else rb"Bearer \S+\n", printed):
        line = process.stdout.readline()
        assert line, f"{arguments} ended: {printed.decode()}"
        printed += line
    try:
        yield printed.decode()
    finally:
        process.terminate()
        process.wait()


def together(askers: Sequence[Callable[[Asked, float], None]], kinds: Sequence[Asked], seconds: float) -> None:
    """All of them at once, each in a thread, until the time is over."""
    until = time.monotonic() + seconds
    threads = [threading.Thread(target=asker, args=(asked, until)) for asker, asked in zip(askers, kinds, strict=True)]
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


@contextmanager
def visitor(address: str, headers: Mapping[str, str] | None = None) -> Generator[httpx.Client]:
    """A client that has opened the printed address, and so has its cookie."""
    base = address.partition("/?")[0]
    with httpx.Client(base_url=base, timeout=60, follow_redirects=True, headers=headers) as client:
        client.get(address).raise_for_status()
        yield client


def reader(address: str, pages: Sequence[str]) -> Callable[[Asked, float], None]:
    def read(asked: Asked, until: float) -> None:
        with visitor(address) as client:
            while time.monotonic() < until:
                for page in pages:
                    timed(asked, lambda page=page: client.get(page), page)

    return read


def voter(address: str, name: str, cast: list[str]) -> Callable[[Asked, float], None]:
    """Opens one sheet after the other and answers all that it asks, with another answer in each round.

    ``cast`` keeps what was taken.
    """

    def vote(asked: Asked, until: float) -> None:
        origin = {"origin": address.partition("/?")[0]}  # as browsers send it: without it nothing is taken
        with visitor(address, origin) as client:
            client.post("/name", data={"name": name, "back": "vote"}).raise_for_status()
            totals = {mode: _total(client.get(f"/{mode}/1").text) for mode in MODES}
            assert all(totals.values()), f"nothing to vote on: {totals}"
            places = [f"/{mode}/{number}" for mode in MODES for number in range(1, totals[mode] + 1)]
            for turn, place in ((turn, place) for turn in itertools.count() for place in places):
                sheet = timed(asked, lambda p=place: client.get(p), place)
                for question, values in _questions(sheet.text) if sheet is not None else ():
                    if time.monotonic() > until:
                        return
                    sent = {"question": question, "value": values[turn % len(values)]}
                    if timed(asked, lambda p=place, s=sent: client.post(p, json=s), place) is not None:
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


def viewed(folder: Path, args: argparse.Namespace) -> list[str]:
    """The rows of ``view``: one reader, then all readers beside the voters."""
    experiment = folder / "demo"
    command = [sys.executable, "-c", MAIN, "demo", "--to", str(experiment)]
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 -- ourselves
    viewed = str(experiment / "recorded")
    with served("view", viewed, "--n", str(PLAN), folder=folder) as printed:
        found = re.search(r"http://\S+", printed)
        assert found is not None
        address = found[0]
        with httpx.Client(follow_redirects=True, timeout=60) as client:
            links = re.findall(r'href="([\w.-]+\.html)', client.get(address).text)
        pages = ["/", *(f"/{link}" for link in dict.fromkeys(links))][:6]
        alone, crowd, votes, cast = Asked(), Asked(), Asked(), list[str]()
        together([reader(address, pages)], [alone], args.seconds / 4)
        voters = [voter(address, f"Voter {number}", cast) for number in range(args.voters)]
        readers = [reader(address, pages)] * args.readers
        together([*readers, *voters], [*[crowd] * args.readers, *[votes] * args.voters], args.seconds)
    kept = sum(len(path.read_text("utf-8").splitlines()) for path in (Path(viewed) / "votes").glob("*.jsonl"))
    votes.lost += ["a vote is not in the folder"] * max(0, len(cast) - kept)
    rows = [alone.row("view, one reader"), crowd.row(f"view, {args.readers} readers")]
    return [*rows, votes.row(f"sheets and votes of {args.voters} beside them, {len(cast):,} cast")]


def session(address: str, token: str, number: int) -> Callable[[Asked, float], None]:
    """A client of MCP that searches and calculates in turn, and says goodbye."""

    def ask(asked: Asked, until: float) -> None:
        headers = {"authorization": f"Bearer {token}", "accept": "application/json, text/event-stream"}

        def message(method: str, **params: Any) -> dict[str, Any]:
            return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}

        with httpx.Client(headers=headers, timeout=60) as client:
            hello = timed(asked, lambda: client.post(address, json=message("initialize", **HELLO)), "initialize")
            if hello is None:
                return
            name = hello.headers["mcp-session-id"]
            client.headers.update({"mcp-session-id": name, "mcp-protocol-version": "2025-06-18"})
            client.post(address, json={"jsonrpc": "2.0", "method": "notifications/initialized"})
            turn = number
            while time.monotonic() < until:
                turn += 1
                search = {"name": "product_catalog_search", "arguments": {"query": WORDS[turn % len(WORDS)]}}
                answer = timed(asked, lambda s=search: client.post(address, json=message("tools/call", **s)), "search")
                if answer is not None and answer.json().get("result", {}).get("isError"):
                    asked.lost.append(f"search: {answer.text[:200]}")
            client.delete(address)

    return ask


def mcp(folder: Path, args: argparse.Namespace) -> list[str]:
    """The rows of MCP: one session, then all."""
    with served("mcp", "--http", folder=folder) as printed:
        address = printed.split()[0]
        token = printed.split()[-1]
        alone, crowd = Asked(), Asked()
        together([session(address, token, 0)], [alone], args.seconds / 4)
        together(
            [session(address, token, number) for number in range(args.sessions)], [crowd] * args.sessions, args.seconds
        )
    return [alone.row("MCP, one session"), crowd.row(f"MCP, {args.sessions} sessions")]


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--readers", type=int, default=50)
    parser.add_argument("--voters", type=int, default=10)
    parser.add_argument("--sessions", type=int, default=50)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="drretail-crowded-") as name:
        rows = [*viewed(Path(name), args), *mcp(Path(name), args)]
    head = ["| | answers | median | 99 of 100 within | of the limit of 1 s | lost |", "|---|---:|---:|---:|---:|---:|"]
    print("\n".join([*head, *rows]))
    keep(args.json, rows)


if __name__ == "__main__":
    main()
