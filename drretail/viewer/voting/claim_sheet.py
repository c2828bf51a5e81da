"""The sheet of claims that people fill in by hand: neither whose a claim is, nor what its judge ruled."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from drretail.experiment import read_definition, read_runs
from drretail.lab.judged_claims import ExtractedClaim, draw_claims, extracted_claims, sheet_name
from drretail.records.vote import ClaimItem
from drretail.viewer.voting.blind import Names
from drretail.viewer.voting.items import Sheets, paragraph_of

COLUMNS = ["item", "question", "claim", "sources", "label"]
MORE_COLUMNS = ["passage", "cited"]
"""Where claims without a source are asked about, too: what of the report stands around a claim, and what is said."""


def sheet_rows(experiment: Path, claims: Sequence[ClaimItem], uncited: int, seed: str | None) -> list[list[str]]:
    """The sheet's rows, its heading first: these claims, and by lot up to ``uncited`` that have no verdict.

    The latter are of the same judges' extractions, as many of each system, and shared out in proportion among claims
    that cite nothing and those whose sources could not be judged.
    """
    definition = read_definition(experiment)
    names = Names(definition)
    rows = list(_ruled(Sheets(experiment, definition, names), claims))
    if not uncited:
        return [COLUMNS, *rows]
    extracted = extracted_claims(experiment)
    chosen = drawn_uncited(extracted, claims, uncited, seed or definition.seed)
    questions = {query.query_id: query.text for query in definition.queries}
    rows += [[sheet_name(each.about), questions[each.query_id], names.withheld(each.text), "", ""] for each in chosen]
    passages = _passages(experiment, extracted, names)
    return [[*COLUMNS, *MORE_COLUMNS], *([*row, passages.get(row[0], ""), ""] for row in rows)]


def drawn_uncited(
    extracted: Iterable[ExtractedClaim], claims: Iterable[ClaimItem], count: int, seed: str
) -> list[ExtractedClaim]:
    """Up to ``count`` that have no verdict, of the extractions that ``claims`` are of."""
    by = {claim.extracted_by for claim in claims}
    return draw_claims(
        (), [claim for claim in extracted if claim.extracted_by in by and not claim.has_verdict], count, seed
    )


def uncited_items(experiment: Path, claims: Sequence[ClaimItem], count: int, seed: str | None) -> list[ClaimItem]:
    """Those of the sheet as items of a plan."""
    seed = seed or read_definition(experiment).seed
    return [
        ClaimItem(
            run_id=each.run_id,
            report_sha=each.report_sha,
            query_id=each.query_id,
            system=each.system,
            repeat=each.repeat,
            claim_id=each.claim_id,
            extracted_by=each.extracted_by,
            stratum=each.stratum,
            has_verdict=False,
        )
        for each in drawn_uncited(extracted_claims(experiment), claims, count, seed)
    ]


def _ruled(sheets: Sheets, claims: Sequence[ClaimItem]) -> Iterator[list[str]]:
    for item in claims:
        sheet = sheets.of_claim(item)
        if sheet.claim is not None:
            texts = "\n\n".join(f"{source.title}\n{source.about}\n{source.text}" for source in sheet.claim.sources)
            yield [sheet_name(item.about), sheet.task.query, sheet.claim.text, texts, ""]


def _passages(experiment: Path, claims: Iterable[ExtractedClaim], names: Names) -> dict[str, str]:
    """By the sheet's name of a claim the paragraph of the report that it stands in; the whole where none is known."""
    reports = {run.run_id: run.report or "" for run in read_runs(experiment)}
    return {
        sheet_name(claim.about): names.withheld(paragraph_of(reports.get(claim.run_id, ""), claim.span))
        for claim in claims
    }
