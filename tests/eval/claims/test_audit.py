"""How a judge read: what it covers, which repeats agree, where it does not read. Also tests records/reading.py."""

from pathlib import Path

from drretail.eval.claims.audit import MarkPlace, left_out, shares_of
from drretail.eval.claims.claims import make_claim
from drretail.records.reading import FLOORS, JudgeAudit, summed
from drretail.stats.intervals import pooled_ends
from tests.eval.metrics.faithfulness.reports import claim, judged, ruled, said_value, scripted, subject, support, values

BED, BOWL = "P:B0BED00001", "P:B0BOWL0001"
REPORT = f"""## Beds [{BED}]

The bed costs $49.99 [{BED}]. It has 4.5 stars from 1,234 ratings [{BED}].

| Thing | Price |
|---|---|
| The bowl [{BOWL}] | $13.50 |
| Sources | [{BOWL}] |

- 13 [{BOWL}]

A third of 12 is 4. They all like shade.
"""
VALUES = [said_value("price", "The bed", BED), said_value("price", "$49.99", BED), said_value("rating", "4.5", BED)]
PRICE = claim(1, "The bed costs $49.99.", BED, quote="The bed costs $49.99", values=VALUES[:2])
RATED = claim(
    2, "The bed has 4.5 stars from 1,234 ratings.", BED, quote="4.5 stars from 1,234 ratings", values=VALUES[2:]
)
BOWLS = claim(3, "The bowl costs $13.50.", BOWL, quote="The bowl | $13.50")


def test_marks_figures_and_labels_are_counted_against_the_report_and_its_records(tmp_path: Path) -> None:
    labels = {"claims": [ruled(1, "full"), ruled(2, "contradicted"), ruled(3, "full")]}
    judge = scripted({"claims": [PRICE, RATED, BOWLS]}, labels)
    found = shares_of(judged(tmp_path, judge, subject(REPORT)))
    # The marks of the heading, of the row of sources and of the line without words cover nothing.
    assert found["marks"] == (3, 3)
    assert found["figures"] == (4, 4)
    assert found["uncited"] == (0, 1), "shade has no figure"
    assert (found["in_report"], found["in_source"], found["labelled"]) == ((3, 3), (2, 3), (3, 3)), (
        "a contradiction needs a quote, too"
    )
    assert found["typed"] == (2, 3), "no figure stands in: The bed"
    # The price is right, the rating is said to be wrong, and the wrong price of the bowl passes.
    assert (found["confirmed"], found["contradicted"]) == ((1, 2), (0, 1))


def test_a_tenth_of_the_marks_may_be_left_out() -> None:
    marks = [MarkPlace("1", at, at + 1, f"{at}") for at in range(20)]
    claims = [make_claim(at, "", ["1"]).model_copy(update={"start": at, "end": at + 1}) for at in range(20)]
    assert [len(left_out(marks, claims[:taken])) for taken in (20, 18, 17)] == [0, 0, 3]


def test_a_report_of_whose_marks_more_than_a_tenth_is_left_out_twice_is_not_judged(tmp_path: Path) -> None:
    judge = scripted({"claims": [PRICE]})
    verdicts = judged(tmp_path, judge, subject(REPORT))
    (extraction,) = [each for each in verdicts if each.stage == "extract"]
    assert (extraction.state, extraction.repairs) == ("failed", 1)
    assert "cover 1 of the 3 citation marks" in (extraction.error or "")
    found = values(subject(REPORT), verdicts)
    assert {name for name, each in found.items() if each.state != "failed"} == {"citations_read"}
    # What the judge read is counted all the same, so that it is named.
    shares = shares_of(verdicts)
    assert (shares["reports"], shares["marks"]) == ((0, 1), (1, 3))
    line = JudgeAudit(judge="p:m", judge_kind="llm", shares=dict(shares)).line
    assert "reports not judged, since more than a tenth of their citation marks is in no claim: 1" in line


def test_a_report_on_most_of_whose_claims_the_judge_failed_has_no_value(tmp_path: Path) -> None:
    half = {"claims": [ruled(1, "full"), ruled(2, "full")]}
    for name, given, state in (("most", support("full"), "failed"), ("few", half, "scored")):
        judge = scripted({"claims": [PRICE, RATED, BOWLS]}, given, *["no"] * 3)
        made = values(subject(REPORT), judged(tmp_path / name, judge, subject(REPORT)))
        assert made["FP"].state == state


def test_a_judge_does_not_read_where_an_interval_lies_below_the_floor() -> None:
    rows: list[tuple[list[dict[str, tuple[int, int]]], tuple[str, ...], bool]] = [
        ([{"reports": (0, 1), "marks": (5, 6)}] * 20, (), True),  # such reports are not judged
        ([{"marks": (6, 12)}] * 3, ("citation marks in claims",), False),
        ([{"uncited": (4, 20)}], (), True),
        ([{"in_report": (16, 20), "in_source": (3, 20)}], ("quotes in the sources",), True),
        ([{"confirmed": (9, 9), "contradicted": (0, 1)}] * 2, ("wrong figures found",), False),
        ([{"confirmed": (9, 9), "contradicted": (0, 1)}], (), True),
        ([{"confirmed": (60, 60), "contradicted": (60, 60)}], (), False),
        # Where whole reports are read badly, their cases are worth few.
        ([{"labelled": (10, 10)}] * 4 + [{"labelled": (0, 10)}] * 2, (), True),
        ([{"labelled": (4, 6)}] * 10, ("claims labelled",), False),
        ([{"steady": (0, 4)}] * 3, ("claims called false that were not fully supported before",), False),
    ]
    for of_runs, low, is_open in rows:
        shares = summed(of_runs)
        ends = {name: pooled_ends([run.get(name, (0, 0)) for run in of_runs]) for name in shares}
        only = {**dict.fromkeys(FLOORS, (0.9, 1.0)), **ends}
        audit = JudgeAudit(judge="p:m", judge_kind="llm", shares=shares, ends=only)
        assert (audit.low, audit.reads, bool(audit.open)) == (low, not low, is_open), of_runs
        assert audit.warning.startswith("This judge doesn't read: p:m is below the floor in" if low else "")
        assert audit.warning.endswith("Nothing is concluded from it.") == bool(low)
        assert ("too few to tell" in audit.line) == is_open


def test_a_judge_that_failed_on_most_reports_is_believed_in_nothing() -> None:
    for failed, unread, reads in ((3, 0, True), (4, 0, False), (4, 1, True)):
        shares = {"reports": (6 - unread, 6)}
        audit = JudgeAudit(judge="p:m", judge_kind="llm", shares=shares, failed_reports=failed, judged_reports=6)
        assert audit.reads == reads, "a report whose marks are in no claim says nothing of the others"
