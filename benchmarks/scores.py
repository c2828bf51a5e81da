"""How long it takes to make scores.json of judged runs, beside plainly reading the files that it is made of.

    python benchmarks/scores.py exp --json scores.json

A folder that is not there yet is made first: seven systems by the shipped fifty queries, judged offline, in a few
minutes, all 21 pairs of systems included; opinions, for which a rule-based judge is not asked, come from a script.

Goal: scores.json of 350 judged runs, slices and pairs included, in 2 seconds. Processor time stands beside the time on
the wall, since only the former is comparable on a machine that others use, too.
"""

import json
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
from command import drretail, processor_of
from figures import hold, keep, parser_of

from drretail.eval.numbers.file import derive_scores
from drretail.eval.registry import METRICS, load_metric
from drretail.experiments.experiment import read_definition, read_runs, run_files
from drretail.experiments.packs import PACKS
from drretail.experiments.run_file import read_members
from drretail.files import read_lines, write_json

GOAL_SECONDS = 2
JUDGED, RATED = "faithfulness,checks,process,basket", "quality,pairwise"
SCRIPT = """
[[rules]]
schema = "Rating"
answer = { structured = { justification = "So.", rating = 6 } }

[[rules]]
schema = "Comparison"
answer = { structured = { justification = "So.", winner = "A" } }
"""
AGENTS = (
    "plan_to_function",
    "react",
    "hybrid_react",
    "plan_to_function+ws",
    "react+ws",
    "hybrid_react+ws",
    "grounded_hybrid",
)


def make(experiment: Path) -> None:
    """The experiment, run and judged offline."""
    script = experiment.with_suffix(".script.toml")
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(SCRIPT, encoding="utf-8")
    queries = experiment.with_suffix(".queries.jsonl")
    agents = [part for agent in AGENTS for part in ("--agent", agent)]
    drretail("queries", "shipped", "--split", "all", "--to", str(queries))
    drretail("run", "--world", "demo", "--queries", str(queries), "--to", str(experiment), "--no-floors", *agents)
    drretail("score", str(experiment), "--metrics", JUDGED)
    drretail("score", str(experiment), "--metrics", RATED, "--judge", f"scripted:{script}")


def measured(experiment: Path, times: int) -> dict[str, Any]:
    """Seconds of the fastest of so many times, and what was made in them."""
    metrics = [load_metric(name) for name in METRICS]
    derived = _fastest(lambda: derive_scores(experiment, metrics), times)
    scores = derive_scores(experiment, metrics)
    document = scores.model_dump(mode="json", exclude_none=True)
    written = _fastest(lambda: write_json(experiment / "scores.json", document), times)
    dumped = _fastest(lambda: scores.model_dump(mode="json", exclude_none=True), times)
    together = {name: round(derived[name] + dumped[name] + written[name], 2) for name in derived}
    return {
        "runs": sum(1 for _ in read_runs(experiment)),
        "systems": len(read_definition(experiment).systems),
        "verdicts": sum(judging.verdicts for judging in scores.judgings),
        "pairs of reports": sum(row.n_planned for row in scores.pairs if row.dimension == "overall"),
        "rows": len(scores.scores),
        "slices": len(scores.slices),
        "megabytes": round((experiment / "scores.json").stat().st_size / 1e6, 2),
        "together": together,
        "of it written": {name: round(dumped[name] + written[name], 2) for name in derived},
        "reading the files": _fastest(lambda: _read(experiment), times),
        "reading them as JSON": _fastest(lambda: [json.loads(line) for line in _read(experiment)], times),
        "the command": processor_of("score", str(experiment), "--metrics", JUDGED),
        "the command, with nothing to do": processor_of("score", str(experiment), "--metrics", JUDGED),
        "goal_seconds": GOAL_SECONDS,
        "numpy": numpy.__version__,
    }


def _fastest(step: Callable[[], object], times: int) -> dict[str, float]:
    taken: list[tuple[float, float]] = []
    for _ in range(times):
        wall, processor = time.perf_counter(), time.process_time()
        step()
        taken.append((time.perf_counter() - wall, time.process_time() - processor))
    return {"wall": round(min(taken)[0], 2), "processor": round(min(taken)[1], 2)}


def _read(experiment: Path) -> list[str]:
    """Every run whole, and every line of every verdict file."""
    texts = [read_members(path, "run")["run"][0] for path in run_files(experiment)]
    for path in (experiment / "verdicts").rglob(PACKS[0]):
        texts += read_lines(path)[1:]
    return texts


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("experiment", type=Path)
    parser.add_argument("--times", type=int, default=3)
    arguments = parser.parse_args()
    if not (arguments.experiment / "experiment.json").exists():
        make(arguments.experiment)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copytree(arguments.experiment, Path(folder) / "exp"))
        found = measured(copy, arguments.times)
    hold(found.get("runs", 1), "there are runs to score")
    for name, value in found.items():
        if isinstance(value, dict):
            value = f"{value['wall']} s on the wall, {value['processor']} s of processor"
        print(f"{name.replace('_', ' '):<22} {value}")
    keep(arguments.json, found)


if __name__ == "__main__":
    main()
