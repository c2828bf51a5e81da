"""Claims that people held against sources: public sets as their authors publish them, and plain CSV."""

import gzip
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from drretail.cells import read_cells
from drretail.errors import UserError
from drretail.records.base import sha256_of

Label = Literal["full", "partial", "none"]
THREE: tuple[Label, ...] = ("full", "partial", "none")
TWO: tuple[Label, ...] = ("full", "none")
SPELLINGS: Mapping[str, Label] = {
    **dict.fromkeys(("full", "full_support", "supported", "attributable", "1", "yes", "true"), "full"),
    **dict.fromkeys(("partial", "partial_support", "partially_supported", "0.5"), "partial"),
    **dict.fromkeys(("none", "no_support", "not_supported", "not attributable", "0", "no", "false"), "none"),
    **dict.fromkeys(("contradicted", "contradictory"), "none"),
}
LAYOUTS = (
    "AttributionBench (claim, references, attribution_label), WiCE (claim, evidence, label), LLM-AggreFact (doc, "
    "claim, label), or CSV with the columns claim, source and label"
)


@dataclass(frozen=True, slots=True)
class LabelledClaim:
    """A claim, its sources, and what people say of it."""

    claim: str
    sources: tuple[str, ...]
    label: Label
    question: str = ""
    """What was asked when it was made; claims of one question are not independent."""

    @property
    def item(self) -> str:
        """Names it by all that a judge is shown."""
        return sha256_of([self.question, self.claim, list(self.sources)])[:16]


@dataclass(frozen=True, slots=True)
class LabelledSet:
    name: str
    claims: tuple[LabelledClaim, ...]
    labels: tuple[Label, ...] = THREE
    """Those that people could give."""
    file: str = ""
    """The name of the file that it was read from."""


def read_labelled(path: Path) -> LabelledSet:
    """The set in a file: JSON lines, plain or gzipped, or CSV. Its layout is told by its fields.

    Raises UserError for a file of no known layout, and names the line of a claim that has no text, source or label.
    """
    rows = _cells(path) if path.name.casefold().endswith((".csv", ".tsv")) else _json_lines(path)
    if not rows:
        raise UserError(f"{path} holds no claim.")
    fields = rows[0][1].keys()
    for name, needed, reader in _READERS:
        if needed <= fields:
            claims = tuple(_read(path, number, row, reader) for number, row in rows)
            given = {claim.label for claim in claims}
            return LabelledSet(name or _stem(path), claims, THREE if "partial" in given else TWO, path.name)
    raise UserError(f"{path} has the fields {', '.join(fields)}. What is read: {LAYOUTS}.")


def _read(
    path: Path, number: int, row: Mapping[str, Any], reader: Callable[[Mapping[str, Any]], tuple[Any, Any, Any]]
) -> LabelledClaim:
    try:
        claim, sources, label = reader(row)
        made = LabelledClaim(
            str(claim).strip(),
            tuple(str(source) for source in sources if str(source).strip()),
            SPELLINGS[str(label).strip().casefold()],
            str(row.get("question") or "").strip(),
        )
    except (KeyError, TypeError) as problem:
        known = ", ".join(("full", "partial", "none", "contradicted"))
        raise UserError(f"{path}, line {number}: no label or field {problem}. Labels are {known}.") from problem
    if not made.claim or not made.sources:
        raise UserError(f"{path}, line {number} has no {'source' if made.claim else 'claim'}.")
    return made


def _of_csv(row: Mapping[str, Any]) -> tuple[Any, Sequence[Any], Any]:
    return row["claim"], [text for name, text in row.items() if name.startswith("source")], row["label"]


_READERS: tuple[tuple[str, frozenset[str], Callable[[Mapping[str, Any]], tuple[Any, Any, Any]]], ...] = (
    (
        "AttributionBench",
        frozenset({"claim", "references", "attribution_label"}),
        lambda row: (row["claim"], row["references"], row["attribution_label"]),
    ),
    (
        "WiCE",
        frozenset({"claim", "evidence", "supporting_sentences", "label"}),
        lambda row: (row["claim"], ["\n".join(row["evidence"])], row["label"]),
    ),
    ("LLM-AggreFact", frozenset({"doc", "claim", "label"}), lambda row: (row["claim"], [row["doc"]], row["label"])),
    ("", frozenset({"claim", "source", "label"}), _of_csv),
    ("", frozenset({"claim", "sources", "label"}), _of_csv),
)


def _json_lines(path: Path) -> list[tuple[int, dict[str, Any]]]:
    try:
        content = path.read_bytes()
        text = (gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content).decode("utf-8")
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        rows = [(number, json.loads(line)) for number, line in lines]
    except FileNotFoundError:
        raise UserError(f"{path} does not exist.") from None
    except IsADirectoryError:
        raise UserError(f"{path} is a folder: name the file of labels in it.") from None
    except (ValueError, EOFError, gzip.BadGzipFile, zlib.error) as problem:
        raise UserError(f"{path} is neither JSON lines nor CSV (a CSV's name ends in .csv). Read is {LAYOUTS}.") from (
            problem
        )
    if not all(isinstance(row, dict) for _, row in rows):
        raise UserError(f"{path} holds a line that is no object. What is read: {LAYOUTS}.")
    return rows


def _cells(path: Path) -> list[tuple[int, dict[str, Any]]]:
    heading, *rows = read_cells(path) or [[]]
    names = [name.strip().casefold() for name in heading]
    return [(at, dict(zip(names, row, strict=False))) for at, row in enumerate(rows, 2) if any(map(str.strip, row))]


def _stem(path: Path) -> str:
    return path.name.partition(".")[0]


def drawn(labelled: LabelledSet, n: int, seed: str) -> LabelledSet:
    """``n`` of its claims by lot, in their order, each that says the same once; all where ``n`` is 0."""
    by_lot = {sha256_of([seed, claim.item]): claim for claim in labelled.claims}
    wanted = {*sorted(by_lot)[: n or None]}
    kept = tuple(claim for lot, claim in by_lot.items() if lot in wanted)
    return replace(labelled, claims=kept)
