"""Writes drretail/api/recordings anew, out of experiments that a language model ran and judged.

python scripts/record_demo.py [--keep] EXPERIMENT…; docs/own-agents.md says how the experiments are made. With --keep
the questions and answers that are recorded already stay, before the new ones.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from drretail.api.demo_recording import QUERIES, SCRIPT, recorded_queries
from drretail.experiment import read_definition
from drretail.files import read_lines, write_lines
from drretail.llm.scripted import record
from drretail.records.query import Query

Rule = dict[str, Any]


def main(experiments: list[Path], *, keep: bool) -> None:
    rules: list[Rule] = json.loads("\n".join(read_lines(SCRIPT)))["rules"] if keep else []
    queries: list[Query] = list(recorded_queries()) if keep else []
    for experiment in experiments:
        rules += _rules(experiment)
        queries += read_definition(experiment).queries
    # What is asked in two experiments with the same data is answered as in the first.
    joined = {_request(rule): rule for rule in reversed(rules)}
    text = json.dumps({"rules": [*reversed(joined.values())]}, ensure_ascii=False, indent=1)
    write_lines(SCRIPT, text.split("\n"))
    write_lines(QUERIES, (query.as_line() for query in {query.query_id: query for query in queries}.values()))
    print(f"{len(joined)} answers to {len(queries)} questions, {SCRIPT.stat().st_size / 1000:.0f} kB in {SCRIPT}.")


def _rules(experiment: Path) -> list[Rule]:
    """What the agents and the judges of an experiment answered."""
    judges = sorted({path.name for path in (experiment / "verdicts").glob("*/*") if path.name != "code"})
    with tempfile.TemporaryDirectory() as folder:
        made = record(experiment, Path(folder) / "all.json", judges=judges)
        rules: list[Rule] = json.loads((Path(folder) / "all.json").read_text(encoding="utf-8"))["rules"]
    for rule in rules:  # notes name labels, and counts of tokens are the provider's own: neither is played
        rule.pop("note", None)
        rule["answer"].pop("usage", None)
    print(f"{experiment}: {made.answers} answers, {made.ambiguous} ambiguous ones left out, {made.failures} failed.")
    return rules


def _request(rule: Rule) -> str:
    """What a rule is for, all but its answer."""
    return json.dumps({name: value for name, value in rule.items() if name != "answer"}, sort_keys=True)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    main([Path(name) for name in arguments if name != "--keep"], keep="--keep" in arguments)
