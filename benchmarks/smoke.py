"""Starts each benchmark in a small size: whether it still runs to its end, not how fast anything is.

    python benchmarks/smoke.py              # all of them
    python benchmarks/smoke.py reading gym  # these

Each runs in a process forked from this one, which has loaded all of drretail, and calls commands as functions. What
they read is made first, in a folder that is gone afterwards: an experiment of three shipped queries on the demo shop,
raw files of a made-up shop, and a few labels. Servers are measured where MONGO_URL and ES_URL name some.
"""

import csv
import gc
import gzip
import json
import os
import runpy
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import command
from command import Cost, drretail
from trouble.bench import load_all

from drretail.api.settings import read_settings
from drretail.cli.entry import main as main_of_command
from drretail.data_ingest.demo import ensure_world
from drretail.experiments.experiment import read_definition, read_runs
from drretail.experiments.query_files import write_with_gold
from drretail.progress import Progress
from drretail.querygen.reading import read_queries

HERE = Path(__file__).parent
# In a shell's words, with the names of what is made below in place of arguments. `agents`, `comparisons` and
# `reliability` come first: they take longest.
STARTED: dict[str, Sequence[str]] = {
    "reliability": ["--quick --only places,names,fetching,uncounted"],
    "agents": ["--agent react --alone 1 --at-once 10 --seconds .1"],
    "comparisons": ["--rounds 1"],
    "ingest": ["--quick --reviews 3000 --products 300"],
    "backends": ["--products 400 --orders 2000 --calls 30 --clients 1 4"],
    "doors": ["WORLD --rounds 1"],
    "estimates": [""],
    "extractions": [
        "LABELLED --experiment EXPERIMENT --world WORLD --prompts EXPERIMENT/lab/asked",
        "LABELLED --experiment EXPERIMENT --world WORLD --answers EXPERIMENT/lab/asked",
    ],
    "floors": ["EXPERIMENT"],
    "gym": ["", "--rewards EXPERIMENT", "--attacks"],
    "gym_speed": ["--rollouts 4", "--episodes 20"],
    "judge_audit": ["LABELLED --experiment EXPERIMENT --world WORLD"],
    "judging": ["EXPERIMENT"],
    "kappas": ["--rounds 2"],
    "loads": ["--products 400 --orders 2000 --rounds 1"] if {"MONGO_URL", "ES_URL"} <= os.environ.keys() else [],
    "offline": ["--wice WICE"],
    "overhead": ["--products 400 --orders 2000 --calls 40 --rounds 1"]
    if {"MONGO_URL", "ES_URL"} <= os.environ.keys()
    else [],
    "own_shop": ["--quick"],
    "pages": ["PAGES"],
    "ppi": ["--rounds 2 --users 10 --share 0.2 --labels 20 --published"],
    "queries": ["checks WORLD --good QUERIES", "sentences WORLD", "time WORLD --queries 20"],
    "reading": ["LABELLED --experiment EXPERIMENT --world WORLD"],
    "relevance": ["RATED"],
    "report_eval": ["REPORTS"],
    "report_pages": ["EXPERIMENT --queries 2"],
    "result_tokens": ["--folder EXPERIMENT/runs --world WORLD"],
    "run_cost": ["WORLD --quick"],
    "sandboxes": ["--queries 1 --sizes 32k"],
    "scores": ["EXPERIMENT --times 1"],
    "shop_log": ["--turns 60"],
    "sorting": ["WORLD --first 3"],
    "start": ["--rounds 0 --provider ollama:none"],
    "striking": ["LABELLED EXPERIMENT WORLD"],
    "twins": ["WORLD SPOILED"],
    "world": ["--products 400 --orders 2000"],
}
PRODUCTS, MADE = "meta_Office_Products.jsonl", "made.json"


def make(folder: Path) -> None:
    """Makes what benchmarks read, and writes its paths by the names in the table."""
    raw, experiment, shipped = folder / "raw", folder / "experiment", folder / "shipped.jsonl"
    made = {"QUERIES": folder / "queries.jsonl", "EXPERIMENT": experiment, "SPOILED": folder / "spoiled.jsonl"}
    made["WORLD"] = ensure_world("demo", read_settings().cache_dir, Progress())
    drretail("queries", "shipped", "--to", str(shipped))
    write_with_gold(read_queries(shipped)[:3], made["QUERIES"])
    drretail("queries", "spoil", str(made["QUERIES"]), "--world", "demo", "--to", str(made["SPOILED"]))
    made["GENERATED"] = folder / "generated.jsonl"
    drretail("queries", "generate", "--n", "3", "--to", str(made["GENERATED"]))
    drretail("run", "--world", "demo", "--queries", str(made["QUERIES"]), "--to", str(experiment), "--agent", "react")
    drretail("score", str(experiment), "--metrics", "faithfulness,checks,basket")
    drretail("synth", "--to", str(raw), "--products", "200", "--reviews", "1500")
    made |= {
        "RATED": rated(folder / "rated", raw / PRODUCTS),
        "LABELLED": labelled(folder / "labelled", experiment),
        "REPORTS": reports(folder / "reports.jsonl", experiment),
        "PAGES": pages(folder / "pages"),
        "WICE": claims(folder / "wice.jsonl"),
    }
    (folder / MADE).write_text(json.dumps({name: str(path) for name, path in made.items()}), "utf-8")


def rated(folder: Path, products: Path) -> Path:
    """Ten products' titles as queries, each rated by itself."""
    folder.mkdir()
    lines = products.read_bytes()
    (folder / f"{PRODUCTS}.gz").write_bytes(gzip.compress(lines))
    with (folder / "rated.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("query", "docid", "rating"))
        for row in map(json.loads, lines.splitlines()[:10]):
            writer.writerow((row["title"], row["parent_asin"], 2))
    return folder


def labelled(folder: Path, experiment: Path) -> Path:
    """The experiment's first report with a price, which is its one label and in a copy another."""
    queries = {query.query_id: query for query in read_definition(experiment).queries}
    run = next(run for run in read_runs(experiment) if "$" in (run.report or ""))
    report = run.report or ""
    start = report.index("$")
    end = start + len(report[start:].split()[0].rstrip(".,;)"))
    label = {"kind": "price", "amount": 1, "of": None, "text": report[start:end], "start": start, "end": end}
    planted = {"file": "planted/1.md", "kind": "price", "product_id": None, "changed": "$1"}
    written: dict[str, Any] = {
        "query.json": queries[run.query_id].model_dump(mode="json"),
        "labels.json": {"values": [label], "picks": []},
        "planted.json": [planted],
        "twins.json": [planted],
    }
    home = folder / "01"
    (home / "planted").mkdir(parents=True)
    for name, value in written.items():
        (home / name).write_text(json.dumps(value), "utf-8")
    (home / "report.md").write_text(report, "utf-8")
    (home / "planted/1.md").write_text(report[:start] + "$1" + report[end:], "utf-8")
    return folder


def reports(path: Path, experiment: Path) -> Path:
    """The experiment's reports without what they rest on."""
    rows = ({"topic": run.query_id, "report": run.report} for run in read_runs(experiment) if run.report)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path


def pages(folder: Path) -> Path:
    """One page, and which of its words are its content."""
    folder.mkdir()
    content = "Rinse a bird feeder every two weeks, and dry it before you fill it again. " * 5
    html = f"<html><body><nav>Home</nav><article><h1>Feeders</h1><p>{content}</p></article></body></html>"
    truth = {"main_content": content, "with": ["Rinse a bird feeder"], "without": ["Home"]}
    (folder / "care_1_article_birds.html.gz").write_bytes(gzip.compress(html.encode()))
    record = {"url": "https://birds.example/", "ground_truth": truth}
    (folder / "care_1_article_birds.truth.json").write_text(json.dumps(record), "utf-8")
    return folder


def claims(path: Path) -> Path:
    """Claims as WiCE publishes them, half of them supported."""
    rows = [
        {"claim": "The feeder holds two pounds.", "evidence": [f"The {each} feeder holds two pounds."], "label": label}
        for each in ("copper", "cedar", "glass", "steel")
        for label in ("supported", "not_supported")
    ]
    path.write_text("".join(f"{json.dumps(row | {'supporting_sentences': []})}\n" for row in rows), "utf-8")
    return path


def cost_of_call(*args: str) -> Cost:
    """``command.cost_of`` in this process."""
    began = time.process_time()
    with patch.object(sys, "argv", ["drretail", *args]):
        try:
            main_of_command()
        except SystemExit as ended:
            if ended.code not in (None, 0, 3):
                raise
    return Cost(round(time.process_time() - began, 2), 0)


def fork(step: Callable[[], object], output: Path) -> int:
    """The number of a process that takes the step and prints into the file; it ends with 1 where the step fails."""
    child = os.fork()
    if child:
        return child
    code, command.cost_of = 1, cost_of_call
    try:
        printed = os.open(output, os.O_WRONLY | os.O_CREAT)
        os.dup2(printed, 1)
        os.dup2(printed, 2)
        os.chdir(output.parent)
        step()
        code = 0
    except SystemExit as ended:
        code = int(bool(ended.code))
        print(ended.code or "", file=sys.stderr)
    except BaseException:  # noqa: BLE001 -- the process ends here
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def play(name: str, made: dict[str, str]) -> None:
    """Runs a benchmark with each of its lines."""
    for line in STARTED[name]:
        sys.argv = [str(HERE / f"{name}.py"), *(filled(word, made) for word in line.split())]
        runpy.run_path(sys.argv[0], run_name="__main__")


def filled(word: str, made: dict[str, str]) -> str:
    """A word of a line with the path that its name stands for."""
    head, slash, rest = word.partition("/")
    return f"{made[head]}{slash}{rest}" if head in made else word


def run(steps: dict[str, Callable[[], object]], scratch: Path) -> list[str]:
    """Takes the steps, as many at once as there are cores; what each that failed said last."""
    waiting, at_work, failed = [*reversed(steps)], dict[int, tuple[str, float]](), list[str]()
    while waiting or at_work:
        while waiting and len(at_work) < (os.cpu_count() or 1):
            name = waiting.pop()
            at_work[fork(steps[name], scratch / f"{name}.out")] = name, time.perf_counter()
        child, status, usage = os.wait3(0)
        name, began = at_work.pop(child)
        spent = usage.ru_utime + usage.ru_stime
        print(f"{time.perf_counter() - began:6.1f} s, {spent:5.1f} s of the processor: {name}", flush=True)
        if status:
            failed.append(f"{name}:\n{(scratch / f'{name}.out').read_text('utf-8', errors='replace')[-2000:]}")
    return failed


def main() -> None:
    scripts = {path.stem for path in HERE.glob("*.py") if "if __name__ ==" in path.read_text("utf-8")} - {
        Path(__file__).stem
    }
    unheld = [name for name in sorted(scripts) if "hold(" not in (HERE / f"{name}.py").read_text("utf-8")]
    if unheld and unheld != ["reliability"]:  # its quick form fails at the first fault
        sys.exit(f"nothing holds that the work of these was done: {', '.join(unheld)}")
    if scripts != set(STARTED):
        sys.exit(f"not in the table of {__file__}, or not beside it: {', '.join(sorted(scripts ^ set(STARTED)))}")
    # Of benchmarks.trouble, and for the processes that benchmarks start.
    sys.path.append(str(HERE.parent))
    os.environ |= {"PYTHONPATH": str(HERE.parent), "OPENBLAS_NUM_THREADS": "1"}
    load_all()
    gc.collect()
    gc.freeze()  # a collection in a forked process would copy all that was loaded
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        failed = run({"what they read": partial(make, scratch)}, scratch)
        if not failed:
            made = json.loads((scratch / MADE).read_text("utf-8"))
            failed = run({each: partial(play, each, made) for each in sys.argv[1:] or STARTED}, scratch)
    sys.exit("\n".join(failed) or None)


if __name__ == "__main__":
    main()
