"""The options that benchmarks share, and the JSON of their figures."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from drretail.env.naming import ServerSettings


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


def servers_parser(doc: str | None, *, orders: int) -> argparse.ArgumentParser:
    """For benchmarks that load made products and so many orders into servers: --rounds besides, and their addresses."""
    parser = parser_of(doc)
    parser.add_argument("--products", type=int, default=8_000)
    parser.add_argument("--orders", type=int, default=orders)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--mongo-url", default=os.environ.get("MONGO_URL"))
    parser.add_argument("--es-url", default=os.environ.get("ES_URL"))
    return parser


def servers_of(given: argparse.Namespace) -> ServerSettings:
    """The servers that the options of ``servers_parser`` name. Ends the process if one is missing."""
    if not (given.mongo_url and given.es_url):
        sys.exit("Name the servers with MONGO_URL and ES_URL.")
    return ServerSettings(mongo_url=given.mongo_url, es_url=given.es_url)


def hold(is_so: object, sentence: str) -> None:
    """Ends with 3 if what a benchmark's figures rest on is not so: the work was not done, so that they say nothing."""
    if not is_so:
        print(f"These figures say nothing: it does not hold that {sentence}.", file=sys.stderr)
        sys.exit(3)


def keep(path: Path | None, figures: Any) -> None:
    """Writes the figures if --json named a file."""
    if path is not None:
        path.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def share(held: Sequence[bool], least: float = 0.0, most: float = 1.0) -> str:
    """How often it held, with its simulation error, and a mark where that is outside by more than two errors."""
    if not held:
        return "none"
    # Agresti and Coull: of few experiments, none is not never
    near, value = (sum(held) + 2) / (len(held) + 4), sum(held) / len(held)
    error = (near * (1 - near) / len(held)) ** 0.5
    mark = "!" if value < least - 2 * error or value > most + 2 * error else " "
    return f"{value:.3f}±{error:.3f}{mark}"
