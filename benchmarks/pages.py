"""How much of real pages' content is read, and how much beside it, against texts that people have marked.

    python benchmarks/pages.py FOLDER --json pages.json

FOLDER (or DRRETAIL_REALDATA/web) holds pages as NAME.html.gz beside NAME.truth.json in the form of the web content
extraction benchmark (schema 2.0): url, and ground_truth with main_content, with[] (snippets that must be kept) and
without[] (snippets that must go). NAME is FAMILY_NUMBER_TYPE_SITE. trafilatura alone is measured beside it, and with
--options each of its options.
"""

import argparse
import gzip
import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

import trafilatura

from drretail.env.web.base import Fetched, WebPage
from drretail.env.web.page import read_web_page

TRUTH = ".truth.json"
PLAIN: dict[str, Any] = {"output_format": "markdown", "include_tables": True, "include_comments": False}
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    **{name: {name: True} for name in ("favor_recall", "favor_precision", "include_links", "include_images", "fast")},
    "without tables": {"include_tables": False},
    "deduplicate": {"deduplicate": True},
    "text": {"output_format": "txt"},
    "without what waits for a click": {
        "prune_xpath": "//*[@hidden or contains(translate(@style,' ',''),'display:none')]"
    },
}
"""Options of trafilatura beside ``PLAIN``."""
_WORD = re.compile(r"\w+")
_TARGET = re.compile(r"\]\([^()\s]*\)")


@dataclass(frozen=True, slots=True)
class Overlap:
    """A text against the marked one: words in lower case, as often as they stand there; and the marked snippets."""

    precision: float
    recall: float
    kept: int
    leaked: int
    seconds: float

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


@dataclass(frozen=True, slots=True)
class Reading:
    """One page as it is read here (``ours``) and by trafilatura (``alone``)."""

    name: str
    state: str
    date: str | None
    true_date: str | None
    truth: int
    """Words of the content."""
    to_keep: int
    to_leave: int
    ours: Overlap
    alone: Overlap

    @property
    def type(self) -> str:
        """What kind of page it is: product, collection, listing, article …"""
        return self.name.split("_")[2]


def read_folder(folder: Path) -> Iterator[Reading]:
    """Every page of a folder that has a truth file, by name."""
    yield from map(_measured, sorted(folder.glob(f"*{TRUTH}")))


def page_of(truth: Path) -> WebPage:
    """The page beside a truth file, as agents would read it."""
    url = str(json.loads(truth.read_text(encoding="utf-8"))["url"])
    return read_web_page(Fetched(url, url, "ok", 200, "text/html", None, _body(truth)))


def _body(truth: Path) -> bytes:
    return gzip.decompress(truth.with_name(truth.name.replace(TRUTH, ".html.gz")).read_bytes())


def _measured(path: Path) -> Reading:
    truth = json.loads(path.read_text(encoding="utf-8"))
    true = truth["ground_truth"]
    begun = time.perf_counter()
    page = page_of(path)
    read = time.perf_counter()
    alone = trafilatura.extract(_body(path), url=truth["url"], **PLAIN)
    ended = time.perf_counter()
    return Reading(
        name=path.name.removesuffix(TRUTH),
        state=page.state,
        date=page.date,
        true_date=true.get("publish_date"),
        truth=len(_plain(true["main_content"])),
        to_keep=len(true.get("with") or []),
        to_leave=len(true.get("without") or []),
        ours=_overlap(true, page.text, read - begun),
        alone=_overlap(true, alone or "", ended - read),
    )


def _overlap(true: dict[str, object], text: str, seconds: float) -> Overlap:
    marked, read = Counter(_plain(str(true["main_content"]))), Counter(_plain(text))
    shared = (marked & read).total()
    return Overlap(
        precision=shared / max(read.total(), 1),
        recall=shared / max(marked.total(), 1),
        kept=_count(true.get("with"), text),
        leaked=_count(true.get("without"), text),
        seconds=round(seconds, 3),
    )


def _plain(text: str) -> list[str]:
    """The words, without markdown's signs and the addresses of links."""
    return _WORD.findall(_TARGET.sub("] ", text).casefold())


def _count(snippets: object, text: str) -> int:
    held = " ".join(_plain(text))
    listed = snippets if isinstance(snippets, list) else []
    return sum(" ".join(_plain(str(snippet))) in held for snippet in listed)  # some are cut within a word


def _folder(given: Path | None) -> Path:
    if given is None and (real := os.environ.get("DRRETAIL_REALDATA")):
        given = Path(real) / "web"
    if given is None or not given.is_dir():
        sys.exit("Name a folder of pages with truth files, or set DRRETAIL_REALDATA.")
    return given


def _page_table(readings: Sequence[Reading]) -> Iterator[str]:
    yield "| page | state | date | words | F1 | precision | recall | kept | leaked | alone: F1 | precision | recall |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|---|"
    for it in readings:
        snippets = f"{it.ours.kept}/{it.to_keep} | {it.ours.leaked}/{it.to_leave}"
        figures = f"{_figures([it.ours])} | {snippets} | {_figures([it.alone])}"
        yield f"| {it.name} | {it.state} | {it.date or '–'} | {it.truth:,} | {figures} |"


def _type_table(readings: Sequence[Reading]) -> Iterator[str]:
    """Means by type of page, over the pages with content; and how many of those were given up."""
    yield "| pages | n | F1 | precision | recall | ms | alone: F1 | precision | recall | ms | not read |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    readable = [reading for reading in readings if reading.truth]
    for kind in sorted({reading.type for reading in readable}):
        these = [reading for reading in readable if reading.type == kind]
        ours, alone = [reading.ours for reading in these], [reading.alone for reading in these]
        figures = f"{_figures(ours)} | {_milliseconds(ours)} | {_figures(alone)} | {_milliseconds(alone)}"
        yield f"| {kind} | {len(these)} | {figures} | {sum(reading.state != 'ok' for reading in these)} |"
    states = Counter(reading.state for reading in readable)
    yield f"\n{len(readable)} readable pages: " + ", ".join(f"{n} {state}" for state, n in states.most_common())


def _option_table(folder: Path) -> Iterator[str]:
    """F1 by type of page under each option."""
    truths = {path: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob(f"*{TRUTH}"))}
    readable = {path: truth for path, truth in truths.items() if truth["ground_truth"]["main_content"]}
    kinds = sorted({path.name.split("_")[2] for path in readable})
    yield f"| options | {' | '.join(kinds)} |"
    yield f"|---|{'---|' * len(kinds)}"
    for name, options in OPTIONS.items():
        found: dict[str, list[float]] = {kind: [] for kind in kinds}
        for path, truth in readable.items():
            text = trafilatura.extract(_body(path), url=truth["url"], **(PLAIN | options))
            found[path.name.split("_")[2]].append(_overlap(truth["ground_truth"], text or "", 0).f1)
        yield f"| {name} | {' | '.join(f'{fmean(found[kind]):.3f}' for kind in kinds)} |"


def _figures(overlaps: Sequence[Overlap]) -> str:
    means = (fmean(getattr(overlap, name) for overlap in overlaps) for name in ("f1", "precision", "recall"))
    return " | ".join(f"{mean:.3f}" for mean in means)


def _milliseconds(overlaps: Sequence[Overlap]) -> str:
    return f"{1000 * median(overlap.seconds for overlap in overlaps):.0f}"


def main() -> None:
    from figures import hold  # stands beside it; tests import this file from elsewhere

    parser = argparse.ArgumentParser(description="Reads real pages and compares them with what people marked.")
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--options", action="store_true")
    given = parser.parse_args()
    if given.options:
        print("\n".join(_option_table(_folder(given.folder))))
        return
    readings = list(read_folder(_folder(given.folder)))
    hold(readings, "the folder holds pages that people marked")
    print("\n".join([*_page_table(readings), "", *_type_table(readings)]))
    if given.json is not None:
        given.json.write_text(json.dumps([asdict(reading) for reading in readings], indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
