"""Sheets that people filled in by hand, as ``lab sample`` wrote them: what they say of each claim."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from drretail.cells import read_cells
from drretail.errors import UnknownName, UserError
from drretail.lab.judged_claims import sheet_name
from drretail.lab.opinions import SUPPORT_OF
from drretail.records.vote import Ballot, CitedLabel


@dataclass(frozen=True, slots=True)
class Cited:
    """Whether a claim is one at all, 1 or 0, and whether it is one with a source; means where several people said."""

    is_claim: float
    has_source: float


CITED: Mapping[str, Cited] = {"yes": Cited(1, 1), "no": Cited(1, 0), "no claim": Cited(0, 0)}
"""By the word of a sheet; ballots have an underscore for its space."""


def support_in(files: Sequence[Path], claims: Iterable[str]) -> Iterator[tuple[str, float]]:
    """The labels of support, each with what its claim is called: as in ``claims`` where it is one of these."""
    for name, answer in _filled_in(files, claims, "label", SUPPORT_OF):
        yield name, SUPPORT_OF[answer]


def cited_in(files: Sequence[Path], claims: Iterable[str], ballots: Iterable[Ballot] = ()) -> dict[str, Cited]:
    """By claim what people say of its being a claim and of its source; a file's answer counts as one person's."""
    said: dict[str, list[Cited]] = defaultdict(list)
    for ballot in ballots:
        if isinstance(ballot, CitedLabel):
            said[ballot.about].append(CITED[ballot.cited.replace("_", " ")])
    for name, answer in _filled_in(files, claims, "cited", CITED):
        said[name].append(CITED[answer])
    return {
        name: Cited(fmean(it.is_claim for it in answers), fmean(it.has_source for it in answers))
        for name, answers in said.items()
    }


def _filled_in(
    files: Sequence[Path], claims: Iterable[str], column: str, known: Collection[str]
) -> Iterator[tuple[str, str]]:
    names = {sheet_name(it): it for it in claims}
    for path in files:
        heading, *rows = read_cells(path) or [[]]
        columns = [it.strip().casefold() for it in heading]
        if "item" not in columns or not {"label", "cited"} & {*columns}:
            raise UserError(f"{path} needs the columns item and label, as drretail lab sample writes them.")
        for number, row in enumerate(rows, 2):
            held = dict(zip(columns, (cell.strip() for cell in row), strict=False))
            answer = " ".join(held.get(column, "").casefold().split())
            if answer and answer not in known:
                raise UnknownName(f"{column} ({path}, row {number})", answer, known)
            if answer:
                yield names.get(held["item"], held["item"]), answer
