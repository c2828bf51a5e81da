"""The options that benchmarks share, and the JSON of their figures."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any


def parser_of(doc: str | None) -> argparse.ArgumentParser:
    """A parser with --json."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the figures here")
    return parser


def rounds_parser(doc: str | None) -> argparse.ArgumentParser:
    """For benchmarks that draw many rounds: --rounds and --seed besides."""
    parser = parser_of(doc)
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=7)
    return parser


def hold(is_so: object, sentence: str) -> None:
    """Ends with 3 if what a benchmark's figures rest on is not so: the work was not done, so that they say nothing."""
    if not is_so:
        print(f"These figures say nothing: it does not hold that {sentence}.", file=sys.stderr)
        sys.exit(3)


def keep(path: Path | None, figures: Any) -> None:
    """Writes the figures if --json named a file."""
    if path is not None:
        path.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
