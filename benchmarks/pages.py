"""How much of real pages' content is read, and how much of their furniture, against texts that people have marked.

    python benchmarks/pages.py FOLDER --json pages.json

FOLDER (or DRRETAIL_REALDATA/web) holds pages as NAME.html.gz beside NAME.truth.json in the form of the web content
extraction benchmark (schema 2.0): url, and ground_truth with main_content, with[] (snippets that must be kept) and
without[] (snippets that must go). The extractor alone is measured beside it.
"""

import argparse
import gzip
import json
import os
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import trafilatura

from drretail.env.web.base import WebPage
from drretail.env.web.fetching.fetched import Fetched
from drretail.env.web.reading.page import read_page

TRUTH = ".truth.json"
_WORD = re.compile(r"\w+")
_TARGET = re.compile(r"\]\([^()\s]*\)")


@dataclass(frozen=True, slots=True)
class Reading:
    """One page; ``words`` is the share of the true content's words that were read, None without content."""

    name: str
    state: str
    date: str | None
    true_date: str | None
    truth: int
    """Characters of the content; so is ``read``."""
    read: int
    words: float | None
    kept: int
    to_keep: int
    leaked: int
    to_leave: int
    seconds: float
    words_alone: float | None
    """What trafilatura alone reads of it."""
    kept_alone: int
    leaked_alone: int


def read_folder(folder: Path) -> Iterator[Reading]:
    """Every page of a folder that has a truth file, by name."""
    yield from map(_measured, sorted(folder.glob(f"*{TRUTH}")))


def page_of(truth: Path) -> WebPage:
    """The page beside a truth file, as agents would read it."""
    url = str(json.loads(truth.read_text(encoding="utf-8"))["url"])
    return read_page(Fetched(url, url, "ok", 200, "text/html", None, _body(truth)))


def _body(truth: Path) -> bytes:
    return gzip.decompress(truth.with_name(truth.name.replace(TRUTH, ".html.gz")).read_bytes())


def _measured(path: Path) -> Reading:
    truth = json.loads(path.read_text(encoding="utf-8"))
    begun = time.perf_counter()
    page = page_of(path)
    seconds = time.perf_counter() - begun
    alone = trafilatura.extract(
        _body(path), url=truth["url"], output_format="markdown", include_tables=True, include_comments=False
    )
    true = truth["ground_truth"]
    keep, leave = _snippets(true.get("with")), _snippets(true.get("without"))
    main = str(true["main_content"])
    return Reading(
        name=path.name.removesuffix(TRUTH),
        state=page.state,
        date=page.date,
        true_date=true.get("publish_date"),
        truth=len(main),
        read=len(page.text),
        words=_share(main, page.text),
        kept=_count(keep, page.text),
        to_keep=len(keep),
        leaked=_count(leave, page.text),
        to_leave=len(leave),
        seconds=round(seconds, 3),
        words_alone=_share(main, alone or ""),
        kept_alone=_count(keep, alone or ""),
        leaked_alone=_count(leave, alone or ""),
    )


def _snippets(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []


def _plain(text: str) -> list[str]:
    """The words, without markdown's signs and the addresses of links."""
    return _WORD.findall(_TARGET.sub("] ", text).casefold())


def _share(truth: str, text: str) -> float | None:
    words, read = _plain(truth), set(_plain(text))
    return round(sum(word in read for word in words) / len(words), 3) if words else None


def _count(snippets: list[str], text: str) -> int:
    held = " ".join(_plain(text))
    return sum(" ".join(_plain(snippet)) in held for snippet in snippets)  # some are cut within a word


def _folder(given: Path | None) -> Path:
    if given is None and (real := os.environ.get("DRRETAIL_REALDATA")):
        given = Path(real) / "web"
    if given is None or not given.is_dir():
        sys.exit("Name a folder of pages with truth files, or set DRRETAIL_REALDATA.")
    return given


def _table(readings: list[Reading]) -> Iterator[str]:
    yield "| page | state | date | truth | read | words | kept | leaked | s | alone: words | kept | leaked |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|---|"
    for it in readings:
        cells = (
            it.name,
            it.state,
            it.date or "–",
            f"{it.truth:,}",
            f"{it.read:,}",
            _figure(it.words),
            f"{it.kept}/{it.to_keep}",
            f"{it.leaked}/{it.to_leave}",
            f"{it.seconds:.2f}",
            _figure(it.words_alone),
            f"{it.kept_alone}/{it.to_keep}",
            f"{it.leaked_alone}/{it.to_leave}",
        )
        yield f"| {' | '.join(cells)} |"


def _figure(share: float | None) -> str:
    return "–" if share is None else f"{share:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Reads real pages and compares them with what people marked.")
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    readings = list(read_folder(_folder(given.folder)))
    print("\n".join(_table(readings)))
    if given.json is not None:
        given.json.write_text(json.dumps([asdict(it) for it in readings], indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
