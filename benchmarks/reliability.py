"""What is lost, leaked or told wrongly when things go wrong: one row a kind of trouble, each tried many times.

    PYTHONPATH=. python benchmarks/reliability.py [--quick] [--only "kills,full disks"] [--seed N] [--json FILE]

A row is a function in ROWS that takes a Bench and gives a Row: how often it was tried, and a sentence for each fault.
*lost*: other bytes than an undisturbed command makes, or an answer paid twice. *leaked*: a key, an inner address, or a
stranger's text that acts. *wrong*: exit code 1, a traceback, a hang, or no word where one is due. trouble/ holds the
rows, docs/experiments.md the table.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from figures import keep, parser_of

from benchmarks.trouble import (
    fetching,
    inputs,
    interrupted,
    provider,
    servers,
    shared,
    silence,
    strangers,
    texts,
    turns,
)
from benchmarks.trouble.bench import Bench, Row

# Rows that start threads come last: the commands of the others are forked.
ROWS: dict[str, Callable[[Bench], Row]] = {
    "kills": interrupted.kills,
    "signals": interrupted.signals,
    "two writers": interrupted.double_starts,
    "full disks": interrupted.full_disks,
    "places": interrupted.hard_places,
    "damaged files": inputs.damaged,
    "damaged inputs": inputs.given,
    "bombs": inputs.bombs,
    "files of elsewhere": inputs.foreign,
    "plugins": inputs.failing,
    "names": inputs.odd_names,
    "strangers": strangers.files,
    "votes": strangers.votes,
    "moves": strangers.moves,
    "hostile texts": texts.hostile,
    "clock jumps": interrupted.clock_jumps,
    "turns": turns.failing,
    "one of ten": silence.silent,
    "answers": provider.misbehaviours,
    "bad hour": provider.passing,
    "denials": provider.denials,
    "uncounted": provider.caps,
    "intruders": servers.intruders,
    "crowds": servers.crowds,
    "keys": strangers.keys,
    "fetching": fetching.unsafe,
    "parallel runs": servers.parallel_runs,
    "two loads": shared.doubled,
    "damaged records": shared.damaged,
    "others' objects": shared.foreign,
    "tampering": shared.tampered,
    "refusing servers": shared.refusing,
}


def table(rows: Sequence[Row]) -> str:
    """As Markdown."""
    lines = ["| | what was done | tried | lost | leaked | wrong |", "|---|---|---:|---:|---:|---:|"]
    for row in rows:
        counts = " | ".join(f"{row.count(fault):,}" for fault in ("lost", "leaked", "wrong"))
        lines.append(f"| {row.name} | {row.what} | {row.tried:,} | {counts} |")
    return "\n".join(lines)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--quick", action="store_true", help="a few of each")
    parser.add_argument("--only", default=",".join(ROWS), help="names of rows, with commas")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="drretail-reliability-") as name:
        bench = Bench(Path(name), quick=asked.quick, seed=asked.seed)
        for wanted in sorted(asked.only.split(","), key=list(ROWS).index):
            began = time.monotonic()
            rows.append(ROWS[wanted](bench))
            print(f"{time.monotonic() - began:6.1f} s  {wanted}", file=sys.stderr, flush=True)
    print(table(rows))
    keep(asked.json, {"seed": asked.seed, "quick": asked.quick, "rows": [asdict(row) for row in rows]})
    if asked.quick and any(row.faults for row in rows):
        sys.exit("something was lost, leaked or told wrongly")


if __name__ == "__main__":
    main()
