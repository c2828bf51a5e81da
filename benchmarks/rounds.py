"""The options and the JSON of benchmarks that draw many rounds and print a table row by row."""

import argparse
import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any


def rounds_parser(doc: str | None) -> argparse.ArgumentParser:
    """--rounds, --seed and --json."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", type=Path)
    return parser


def keep(path: Path | None, rows: Iterable[Any]) -> None:
    """Writes the rows, which are dataclasses, if --json named a file."""
    if path is not None:
        path.write_text(json.dumps([*map(asdict, rows)], indent=1), encoding="utf-8")
