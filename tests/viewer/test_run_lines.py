"""The sums behind FP and FR: they say what scores.json says, and can be added up by hand."""

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from drretail.eval.claims.claims import EXTRACT, SUPPORT, make_claim
from drretail.eval.registry import load_metric
from drretail.eval.scores.file import derive_scores
from drretail.records.score import JudgeRef, SourceRef, Verdict
from drretail.viewer.judged import Judged
from drretail.viewer.run_lines import arithmetic
from tests import build
from tests.eval.metrics.faithfulness.reports import subject
from tests.viewer.dom import parse
from tests.viewer.experiment import render_page

JUDGE = JudgeRef(spec="p:m", kind="llm")
REPORT = "Ten words of a report that says hardly anything here."
WEB, PRODUCT, ORDER = "W:aaaaaaaa", "P:B0TEST0001", "O:0000000001"
Cited = tuple[tuple[str, ...], float | None]


def ruled(*claims: Cited, rules: str = "default", uncited: int = 0) -> list[Verdict]:
    """Claims with these sources and what was ruled on each; None for one whose sources could not be read."""
    made = [make_claim(at, f"claim {at}", sources) for at, (sources, _) in enumerate(claims, 1)]
    loose = [make_claim(len(made) + at, f"loose {at}", ()) for at in range(uncited)]
    about: dict[str, Any] = {"version": 3, "rules": rules, "judge": JUDGE}
    listed = [claim.model_dump(mode="json") for claim in [*made, *loose]]
    stages = [EXTRACT] if rules == "default" else ["extract_cited", "extract_all"]
    found = [build.verdict("faithfulness", stage, "report", listed, **about) for stage in stages]
    for claim, (sources, value) in zip(made, claims, strict=True):
        state = "unverifiable" if value is None else "scored"
        read = () if value is None else [SourceRef(id=source, sha256="s") for source in sources]
        found.append(build.verdict("faithfulness", SUPPORT, claim.claim_id, value, state, sources=read, **about))
    return found


def words(*verdicts: Verdict) -> str:
    return arithmetic(Judged(JUDGE, verdicts[0].rules, verdicts), subject(REPORT))


@pytest.mark.parametrize(
    ("verdicts", "line"),
    [
        (
            ruled(((WEB,), 1), ((WEB,), 0.5), ((PRODUCT,), 1), uncited=1),
            "FP 0.88 (mean of web 1.5 of 2 and product 1 of 1); FR 0.75 (cited 3 of 4)",
        ),
        (
            ruled(((WEB, PRODUCT), 1), ((PRODUCT,), 0)),
            "FP 0.75 (mean of web 1 of 1 and product 1 of 2)",
        ),
        (
            ruled(((PRODUCT,), 1), ((PRODUCT,), 0.5), rules="paper"),
            "FP 0.75 (product 1.5 of 2)",
        ),
        (ruled(((ORDER,), 1)), "no FP: it cites neither web pages nor products"),
        (ruled(((WEB,), None)), "no FP: no cited source could be read"),
    ],
    ids=["types", "a claim of both types", "the paper's rules", "other sources", "unread sources"],
)
def test_each_type_tells_its_support_of_how_many(verdicts: list[Verdict], line: str) -> None:
    assert words(*verdicts).startswith(line)


def test_a_tables_numbers_add_up_from_the_lines_of_the_runs(judged: Path) -> None:
    """By hand: every line's fractions give its FP and FR, and their means are those of scores.json."""
    scores = derive_scores(judged, [load_metric("faithfulness")])
    table = parse(render_page(judged)).by_id("runs")
    lines = [cell.text for row in table.all("tr") for cell in row.all("div", "adds") if cell.text.strip()]
    assert len(lines) == 2
    for variant, part in (("FP", 0), ("FR", 1)):
        found: list[Fraction] = []
        for line in lines:
            sums = line.split(";")[part].split("→")[0].rpartition(":")[2]
            pairs = re.findall(r"([\d.]+) of ([\d.]+)", sums)
            found.append(sum((Fraction(above) / Fraction(below) for above, below in pairs), Fraction()) / len(pairs))
        (text,) = scores.by_system(variant).values()
        assert float(sum(found) / len(found)) == pytest.approx(text)
