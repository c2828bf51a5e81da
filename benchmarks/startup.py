"""How long ``drretail --help`` takes, beside what it cannot do without: importing typer and rich.

    PYTHONPATH=. python benchmarks/startup.py [--rounds 20] [--json FILE]

Each round starts every one of them in a process of its own, one after the other; the fastest and the median of the
rounds are shown. What it must not load is a test (tests/cli/test_app.py).
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

MAIN = "from drretail.cli.entry import main; main()"
BASE = "import typer, rich"
STARTED = {
    BASE: ["-c", "import typer, rich"],
    "drretail --help": ["-c", MAIN, "--help"],
    "drretail run --help": ["-c", MAIN, "run", "--help"],
    "import drretail": ["-c", "import drretail"],
}


def seconds(arguments: list[str]) -> float:
    """The wall time of one process."""
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)  # noqa: S603 -- ourselves
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    taken: dict[str, list[float]] = {name: [] for name in STARTED}
    for _ in range(asked.rounds):
        for name, arguments in STARTED.items():
            taken[name].append(seconds(arguments))
    rows = {name: {"fastest": min(times), "median": statistics.median(times)} for name, times in taken.items()}
    print(f"{'':24}{'fastest':>10}{'ratio':>8}{'median':>10}{'ratio':>8}")
    for name, row in rows.items():
        ratios = {of: row[of] / rows[BASE][of] for of in row}
        figures = "".join(f"{row[of] * 1000:>7.0f} ms{ratios[of]:>8.2f}" for of in row)
        print(f"{name:24}{figures}")
    if asked.json is not None:
        asked.json.write_text(json.dumps({"rounds": asked.rounds, "seconds": rows}, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
