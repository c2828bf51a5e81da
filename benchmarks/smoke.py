"""Starts each benchmark in a small size: whether it still runs to its end, not how fast anything is.

    python benchmarks/smoke.py              # all of them
    python benchmarks/smoke.py reading gym  # these

What they read is made first, in a folder that is gone afterwards: an experiment of three shipped queries on the demo
shop, raw files of a made-up shop, and a few labels. Servers are measured where MONGO_URL and ES_URL name some.
"""

import csv
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from command import drretail

from drretail.api.settings import read_settings
from drretail.data_ingest.demo import ensure_world
from drretail.experiment import read_definition, read_runs
from drretail.grounding.gold_files import write_with_gold
from drretail.progress import Progress
from drretail.querygen.reading import read_queries

HERE = Path(__file__).parent
# In a shell's words, with the names of what is made below in place of arguments. `agents`, `comparisons` and
# `reliability` come first: they take longest.
STARTED: dict[str, Sequence[str]] = {
    "reliability": ["--quick --only places,names,fetching,uncounted"],
    "agents": ["--agent react --alone 1 --at-once 10 --seconds .1"],
    "comparisons": ["--rounds 4"],
    "ingest": ["--quick --reviews 3000 --products 300"],
    "backends": ["--products 400 --orders 2000 --calls 30 --clients 1 4"],
    "estimates": [""],
    "extractions": [
        "LABELLED --experiment EXPERIMENT --world WORLD --prompts EXPERIMENT/lab/asked",
        "LABELLED --experiment EXPERIMENT --world WORLD --answers EXPERIMENT/lab/asked",
    ],
    "floors": ["EXPERIMENT"],
    "gym": ["--rollouts 4", "--rewards EXPERIMENT", "--attacks"],
    "judge_audit": ["LABELLED --experiment EXPERIMENT --world WORLD"],
    "judging": ["EXPERIMENT"],
    "kappas": ["--rounds 2"],
    "loads": ["--products 400 --orders 2000 --rounds 1"] if {"MONGO_URL", "ES_URL"} <= os.environ.keys() else [],
    "offline": ["--wice WICE"],
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
PRODUCTS = "meta_Office_Products.jsonl"


def make(folder: Path) -> dict[str, Path]:
    """What benchmarks read, by the names in the table."""
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
    return made | {
        "RATED": rated(folder / "rated", raw / PRODUCTS),
        "LABELLED": labelled(folder / "labelled", experiment),
        "REPORTS": reports(folder / "reports.jsonl", experiment),
        "PAGES": pages(folder / "pages"),
        "WICE": claims(folder / "wice.jsonl"),
    }


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


def start(name: str, line: str, made: dict[str, Path], scratch: Path) -> str | None:
    """Runs one benchmark; what it said last where it failed."""
    words: list[str] = []
    for word in line.split():
        head, slash, rest = word.partition("/")
        words.append(f"{made[head]}{slash}{rest}" if head in made else word)
    began = time.perf_counter()
    ran = subprocess.run(  # noqa: S603 -- ourselves
        [sys.executable, str(HERE / f"{name}.py"), *words],
        cwd=scratch,
        env={**os.environ, "PYTHONPATH": str(HERE.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    print(f"{time.perf_counter() - began:6.1f} s  {name} {line}", flush=True)
    return None if ran.returncode == 0 else f"{name} {line}: exit code {ran.returncode}\n{ran.stderr[-2000:]}"


def main() -> None:
    scripts = {path.stem for path in HERE.glob("*.py") if "if __name__ ==" in path.read_text("utf-8")} - {
        Path(__file__).stem
    }
    if scripts != set(STARTED):
        sys.exit(f"not in the table of {__file__}, or not beside it: {', '.join(sorted(scripts ^ set(STARTED)))}")
    wanted = sys.argv[1:] or list(STARTED)
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(os.cpu_count()) as pool:
        made = make(Path(name))
        started = [pool.submit(start, each, line, made, Path(name)) for each in wanted for line in STARTED[each]]
        failed = [problem for each in started if (problem := each.result()) is not None]
    sys.exit("\n".join(failed) or None)


if __name__ == "__main__":
    main()
