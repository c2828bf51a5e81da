"""Strangers' files and folders, agents and votes: what they would run, where they would send a key, whom they count.

A module of theirs is a tripwire, and an address of theirs a server that keeps what it hears, and repeats each key in
its answers. No key may reach it, no command may import it, and what it repeats may stand nowhere.
"""

import gzip
import json
import shutil
import threading
import time
from base64 import b64encode
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

from drretail.errors import UserError
from drretail.eval.ballots import annotator_of, read_votes

from .bench import REPORT, RUN, SCORE, Bench, Row, run
from .interrupted import JOBS, Jobs
from .provider import command

TRIPWIRE = "import pathlib\npathlib.Path(__file__).with_name('ran').write_text('')\n"
CODE = {
    "drretail.toml": (
        'model = "evil:model:x"',
        'web = "evil:web"',
        'web = "evil.inner:web"',
        'model_profile = "p"\n[profiles.p]\nmodel = "evil:model:x"',
        'model_profile = "p"\n[profiles.p]\nmodel = "openai:x"\njudges = [{model = "evil:judge:x"}]',
    ),
    "given.toml": (
        'agents = ["evil:answer"]',
        'agents = ["react", "mine=evil:answer+ws"]',
        'agents = "cmd:./evil.py"',
        'agents = "mine=cmd:./evil.py --x=1"',
        'model = ["evil:model:x"]',
        'model = {report = "evil:model:x"}',
        'web = "evil:web"',
        'web = "evil.inner:web"',
        'vary = {"evil:CONDITION" = "yes"}',
    ),
    "exp/options/ff.toml": ('labels = ["x"]\nagents = ["evil:answer"]',),
}
"""By file: what names code."""
READING = (REPORT, ("compare", "exp", "react@offline-shopper", "x"), ("verify", "exp"), SCORE, (*SCORE, "--estimate"))
PROVIDERS = ("openai:gpt-5", "anthropic:claude-sonnet-5", "google:gemini-2.5-pro", "ollama:qwen3:8b")
ADDRESSES = {
    "given.toml": ('base_url = "{url}"', 'base_url = ["{provider}={url}"]'),
    "drretail.toml": (
        'base_url = "{url}"',
        'base_urls.{provider} = "{url}"',
        '[profiles.mine]\nmodel = "{model}"\nbase_url = "{url}"\nkey_variable = "GROQ_API_KEY"',
    ),
}
KEY = "sk-proj-9aZ+/by2=Kc3"
KEYS = dict.fromkeys(
    ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY", "OLLAMA_API_KEY", "GROQ_API_KEY"), KEY
)
SPELLINGS = (KEY, KEY.encode().hex(), b64encode(KEY.encode()).decode()[:26], quote(KEY, safe=""))
RUN_FILE = ("run", "given.toml", "--world", "w", "--queries", "q.jsonl", "--to", "new", "--quiet")
RUN_HERE = (*RUN[:-3], "--to", "new", "--quiet")


def files(bench: Bench) -> Row:
    """Each file that can name code, by each command that reads it: a tripwire says what was imported or started."""
    row = Row("strangers' files", "code that a file of options, settings or an experiment names, by each command")
    for file, texts in CODE.items():
        names = file if file != "drretail.toml" else None
        commands = READING if names is None else ()
        run_it = RUN_HERE if names is None else ("run", names, *RUN_FILE[2:])
        for text in bench.sample(texts, 1, len(texts)):
            for arguments in bench.sample((run_it, (*run_it, "--estimate"), *commands), 2, 9):
                with bench.place() as place:
                    for module in ("evil.py", "evil/__init__.py", "evil/inner.py")[: 1 if "inner" not in text else 3][
                        -2:
                    ]:
                        (place / module).parent.mkdir(exist_ok=True)
                        (place / module).write_text(f"#!/usr/bin/env python3\n{TRIPWIRE}", "utf-8")
                        (place / module).chmod(0o755)
                    (place / file).parent.mkdir(parents=True, exist_ok=True)
                    (place / file).write_text(text, "utf-8")
                    row.tried += 1
                    ended = run(place, arguments)
                    if [*place.glob("ran"), *place.glob("evil/ran")]:
                        row.add("leaked", f"{file}: {text!r}: drretail {' '.join(arguments)} runs it")
                    if ended.problem or ended.code not in (0, 2, 3):
                        row.add("wrong", f"{file}: {text!r}: {ended.problem}")
    return row


NAMES = ("ＡＮＮ", "Ann", " ANN ", "𝐚𝐧𝐧", "ⓐⓝⓝ", "ａnn", "𝔸nn", "ann\u200b", "../ann", "ann/../bob")
LABEL = "react@offline-shopper"
VOTE = {"pair_id": "p", "query_id": "q1", "shown_left": "a", "dimension": "depth", "choice": "a", "a": LABEL}
SIGNED = VOTE | {"b": LABEL, "at": "2026-01-01T12:00:00Z", "format": 1}


def votes(bench: Bench) -> Row:
    """Names that look like another person's, files and lines by another name, votes on what nobody was asked."""
    row = Row("forged votes", "names in other letters, files and lines by another name, unknown systems and pairs")
    for name in NAMES:
        row.tried += 1
        try:
            if annotator_of(name) != "ann":
                row.add("leaked", f"{name!r} is {annotator_of(name)!r}, another person than ann")
        except UserError:
            continue
    plan = {
        "format": 1,
        "seed": "1",
        "pairs": [{**{name: SIGNED[name] for name in ("query_id", "a", "b")}, "pair_id": "p"}],
    }
    forged = {
        **{f"a file by {name!r}": (name, {"annotator": name}) for name in ("ＡＮＮ", "ANN", "𝐚𝐧𝐧", "Ann")},
        "a line by another": ("bob", {"annotator": "ann"}),
        "a line by nobody": ("bob", {"annotator": ""}),
        "an unknown system": ("bob", {"annotator": "bob", "a": "better"}),
        "an unknown pair": ("bob", {"annotator": "bob", "pair_id": "p2"}),
        "an unknown report": (
            "bob",
            {"annotator": "bob", "kind": "rating", "run_id": "x/q1-r1", "report_sha": "0", "value": 9},
        ),
        "an unknown dimension": ("bob", {"annotator": "bob", "dimension": "beauty"}),
    }
    with bench.place() as place:
        folder = place / "exp" / "votes"
        folder.mkdir()
        (folder / "plan.json").write_text(json.dumps(plan), "utf-8")
        (folder / "ann.jsonl").write_text(json.dumps({**SIGNED, "annotator": "ann"}) + "\n", "utf-8")
        for what, (stem, fields) in forged.items():
            path = folder / f"{stem}.jsonl"
            path.write_text(json.dumps({**SIGNED, **fields}) + "\n", "utf-8")
            row.tried += 2
            try:
                counted = len(read_votes(place / "exp"))
            except UserError:
                counted = 1
            if counted != 1:
                row.add("leaked", f"{what} counts")
            ended = run(place, ("vote", "exp", "--results"))
            is_said = ended.code == 2 or "Left out of people's answers" in ended.output
            if ended.problem or not is_said:
                row.add("wrong", f"{what}: {ended.problem or ended.output[-200:]!r}")
            path.unlink()
    return row


def moves(bench: Bench) -> Row:
    """An experiment's folder that is moved, or moved and replaced, while runs are written there."""
    row = Row(
        "moved folders", "an experiment's folder that is moved or replaced at some moment of a run, then moved back"
    )
    jobs = Jobs(bench)
    for job in (job for job in JOBS if job.arguments[0] == "run"):
        for number in range(bench.tries(2, 12)):
            with jobs.place(job) as place:
                moment = bench.draw.uniform(0.2, 0.9) * jobs.end(job)[1]
                made, aside = place / job.made, place / "aside"
                ended = run(place, job.arguments, disturb=partial(_move, made, aside, moment, number % 2))
                row.tried += 1
                if ended.problem:
                    row.add("wrong", f"{job.name} moved after {moment:.3f} s: {ended.problem}")
                if aside.exists():
                    shutil.rmtree(made, ignore_errors=True)
                    aside.rename(made)
                jobs.compare(row, f"{job.name} moved after {moment:.3f} s", job, place)
    return row


def _move(made: Path, aside: Path, moment: float, is_replaced: int, _: int) -> None:
    time.sleep(moment)
    if made.exists():
        made.rename(aside)
        if is_replaced:
            shutil.copytree(aside, made)


class _Gateway(BaseHTTPRequestHandler):
    """Keeps what it hears, and repeats it in its answer, in a call, in an error and in headers."""

    protocol_version = "HTTP/1.1"

    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Nothing: the table is the output."""

    def do_POST(self) -> None:
        asked = self.rfile.read(int(self.headers["content-length"])).decode()
        self.server.heard.append(f"{self.path} {self.headers} {asked}")  # pyright: ignore[reportAttributeAccessIssue]
        said, turn = " ".join((*SPELLINGS, json.dumps(KEY))), asked.count('"assistant"')
        call = {"id": KEY, "type": "function", "function": {"name": KEY, "arguments": json.dumps({KEY: said})}}
        message = {"role": "assistant", "content": f"{said}: no feeder fits.", "tool_calls": [call] * (turn == 0)}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        body = {"id": KEY, "model": KEY, "object": "chat.completion", "created": 1, "choices": [choice]}
        is_refused = len(self.server.heard) % 5 == 0  # pyright: ignore[reportAttributeAccessIssue]
        data = json.dumps({"error": {"message": said, "type": KEY}} if is_refused else body).encode()
        self.send_response(400 if is_refused else 200)
        for name, value in (("content-type", "application/json"), ("content-length", str(len(data))), ("x-key", KEY)):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def gateway() -> Generator[tuple[str, list[str]]]:
    """Its address, and what it hears."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Gateway) as server:
        server.heard = heard = list[str]()  # pyright: ignore[reportAttributeAccessIssue]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1", heard
        server.shutdown()


def keys(bench: Bench) -> Row:
    """Addresses of files, by each provider; and a gateway that repeats the key that it was given."""
    row = Row("keys", "addresses of files by each provider; a gateway that repeats its key, in each command's output")
    cases = [(model, file, text) for model in PROVIDERS for file, texts in ADDRESSES.items() for text in texts]
    for model, file, text in bench.sample(cases, 3, len(cases)):
        with bench.place() as place, gateway() as (url, heard):
            written = text.format(url=url, model=model, provider=model.partition(":")[0])
            (place / file).write_text(written, "utf-8")
            named = ("--model-profile", "mine") if "mine" in text else ("--model", model)
            arguments = (RUN_FILE if file == "given.toml" else RUN_HERE) + named
            for flags in ((), ("--estimate",)):
                row.tried += 1
                ended = command(place, *arguments, *flags, **KEYS)
                if KEY in str(heard):
                    row.add("leaked", f"{file}: {text!r}: the key of {model} is sent")
                if ended.problem:
                    row.add("wrong", f"{file}: {text!r}: {ended.problem}")
                heard.clear()
    with bench.place() as place, gateway() as (url, heard):
        asked = ("--base-url", f"openai={url}", "--debug")
        for arguments in (
            (*RUN, "--model", "openai:m", *asked),
            (*SCORE, "--judge", "openai:m", *asked),
            ("queries", "generate", "--world", "shop", "--n", "1", "--model", "openai:m", "--to", "new.jsonl", *asked),
            ("doctor", "--model", "openai:m", *asked),
            ("report", "exp", "--to", "page.html"),
            ("report", "exp", "--format", "csv"),
            ("export", "exp", "--format", "chat", "--to", "out.jsonl"),
        ):
            row.tried += 1
            ended = command(place, *arguments, **KEYS)
            if ended.problem and "Traceback" not in ended.output:  # --debug prints one
                row.add("wrong", f"{arguments[0]}: {ended.problem}")
            for spelling in SPELLINGS:
                if spelling in ended.output:
                    row.add("leaked", f"{arguments[0]} prints the key as {spelling[:6]}…")
        if KEY not in str(heard):
            row.add("wrong", "the gateway was never asked with the key")
        for path, text in _texts(place):
            row.tried += 1
            if any(spelling in text for spelling in SPELLINGS):
                row.add("leaked", f"{path} holds the key")
    return row


def _texts(place: Path) -> Iterator[tuple[Path, str]]:
    unpacked: Callable[[bytes], bytes] = gzip.decompress
    for path in (path for path in place.rglob("*") if path.is_file() and "w" not in path.relative_to(place).parts):
        data = path.read_bytes()
        yield path.relative_to(place), (unpacked(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8", "replace")
