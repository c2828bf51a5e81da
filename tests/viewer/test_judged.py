"""Claims. Also tests commands.py, experiment.py and viewer/tables/false_statements.py.
by_order: tests/viewer/tables/test_pairs.py. read_pair_judgements, _dimension: tests/viewer/page/test_document.py.
"""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from drretail.eval.claims.claims import ALL, CITED, EXTRACT, SUPPORT, Claim, make_claim
from drretail.eval.numbers.judges import Board, write_board
from drretail.experiments.experiment import read_runs
from drretail.records.account import Account
from drretail.records.base import sha256_of
from drretail.records.evidence import Finding
from drretail.records.run import Run
from drretail.records.score import JudgeRef
from drretail.viewer.commands import score_command
from drretail.viewer.experiment import Checks, RunView, read_view
from drretail.viewer.judged import Judged, claim_views, read_judgements, support_counts
from drretail.viewer.tables.false_statements import checked_in, checked_in_words, false_statements, unchecked_in
from tests.build import subject
from tests.viewer.dom import parse
from tests.viewer.experiment import JUDGE, append, keep_scores, render_page, rewrite, verdict

LLM = JudgeRef(spec="anthropic:some-model", kind="llm")
RULES = JudgeRef(spec="offline:judge", kind="rule_based")


def judge(folder: Path, run: Run, ref: JudgeRef, value: float) -> None:
    """One claim about the beginning of the report."""
    assert run.report is not None
    claim = make_claim(1, "The beginning.", ["P:B0TEST0001"], span=(0, 30))
    held = [claim.model_dump(mode="json")]
    made = [
        verdict(run, "faithfulness", ref, EXTRACT, "report", value=held),
        verdict(run, "faithfulness", ref, SUPPORT, claim.claim_id, value=value, reason="Because."),
    ]
    append(folder, run, made)


def test_who_was_asked_last_comes_first_and_the_marks_are_theirs_while_all_judges_have_cards(mine: Path) -> None:
    run, *_ = read_runs(mine)
    judge(mine, run, RULES, 1)
    judge(mine, run, LLM, 0)
    write_board(mine, Board(judge=(RULES.key, LLM.key)))
    judges = [one.judge for one in read_judgements(mine, "faithfulness", run).by_judge]
    assert judges == [LLM, RULES, JUDGE]
    section = parse(render_page(mine)).by_id("q1")
    claims = [m for m in section.all("mark") if "r1-c" in m.attributes.get("data-for", "")]
    # A mark that a finding overlaps has the finding's class as well.
    assert "none product" in {mark.attributes["class"] for mark in claims}
    assert "The marks are by anthropic:some-model (language model)." in section.text
    assert section.by_id("r1-j2-c1").tag == "article"


def test_scores_of_another_report_are_marked_with_the_command(mine: Path) -> None:
    (first, *_) = read_runs(mine)
    report = f"{first.report} And more."
    rewrite(mine, first.model_copy(update={"report": report, "report_sha": sha256_of(report)}))
    shown = render_page(mine)
    assert "These scores are older than the runs: " in shown
    assert "drretail score exp" in shown
    page = parse(render_page(mine))
    assert not [mark for mark in page.by_id("q1").all("mark") if "data-for" in mark.attributes]
    assert "verdicts are not used" in page.text
    assert read_view(mine).outdated == "a run or the plan is another one"


def test_judges_are_named_again_in_their_order(mine: Path) -> None:
    judges = [JudgeRef(spec=f"scripted:{name}", kind="scripted") for name in ("one", "two")]
    for run in read_runs(mine):
        for judge in judges if run.report is not None else ():
            append(mine, run, [verdict(run, "quality", judge, "rating", "clarity", value=8)])
    write_board(mine, Board(judge=("scripted:two", "scripted:one")))
    keep_scores(mine, "quality")
    assert read_view(mine).outdated == ""
    assert "--judge scripted:two --judge scripted:one" in score_command(read_view(mine))


REPORT = "The feeder costs $20 [P:B1]. It is green. Birds like it [W:abcdefgh]."
RUN = Run(run_id="l/q-r1", system="l", query_id="q", repeat=1, status="done", stop="finished", report=REPORT)
PRICE = make_claim(1, "The feeder costs $20.", ["P:B1", "W:abcdefgh"], span=(0, 27))
GREEN = make_claim(2, "It is green.", [])


def judged(claims: list[Claim], **support: object) -> Judged:
    run = RUN.model_copy(update={"report_sha": "s"})
    held = [claim.model_dump(mode="json") for claim in claims]
    made = [verdict(run, "faithfulness", JUDGE, EXTRACT, "report", value=held)]
    if support:
        made.append(verdict(run, "faithfulness", JUDGE, SUPPORT, PRICE.claim_id, **support))
    return Judged(JUDGE, "default", tuple(made))


def test_a_claim_has_one_verdict_on_all_its_sources_in_which_denied_unverifiable_and_failed_are_apart() -> None:
    (claim,) = claim_views(judged([PRICE], value=0.5), REPORT)
    assert (claim.support, claim.types, claim.span) == ("partial", ("web", "product"), (0, 27))
    for state, support in (("unverifiable", "unverifiable"), ("failed", "failed"), ("na", "unjudged")):
        (claim,) = claim_views(judged([PRICE], state=state), REPORT)
        assert claim.support == support
    (none,), (denied,) = (
        claim_views(judged([PRICE], value=0.0, notes=notes), REPORT) for notes in ((), ("contradicted",))
    )
    assert (none.support, denied.support) == ("none", "contradicted")
    # What cites only something that was invented is in FP's denominator, and so in "0 of 1 cited claims supported".
    unseen = PRICE.model_copy(update={"sources": (), "unresolved": ("P:B9",)})
    absent: dict[str, object] = {"value": 0.0, "absent": PRICE.sources}
    (by_id,), (by_address,) = claim_views(judged([unseen]), REPORT), claim_views(judged([PRICE], **absent), REPORT)
    assert support_counts([by_id, by_address]) == {"none": 2}


def test_a_statement_that_the_judge_and_code_deny_is_checked_once() -> None:
    claims = claim_views(judged([PRICE, GREEN], value=1.0), REPORT)
    for start, checked in ((17, 1), (30, 2), (None, 2)):
        found = Finding(code="price_wrong", severity="error", start=start, end=start and start + 3, text="$30")
        view: Any = SimpleNamespace(
            claims=[SimpleNamespace(claims=claims)], read=[], false=[found], claim_of=lambda _: None
        )
        assert checked_in(view) == checked


def test_what_nobody_checked_is_counted_beside_what_was_checked() -> None:
    report = "It is green. It costs $35.00. Its box holds 4 of them. A 2 l jug is $9."
    judged = SimpleNamespace(span=(30, 54), support="unverifiable", text="Its box holds 4 of them.")
    view: Any = SimpleNamespace(
        is_answer=True,
        subject=SimpleNamespace(report=report),
        claims=[SimpleNamespace(claims=[judged])],
        read=[SimpleNamespace(start=68, end=70)],
        false=[],
        contested=[],
        unread=((22, 28), (44, 45), (56, 57)),
    )
    left = [*unchecked_in(view)]
    assert left == ["Its box holds 4 of them.", "It costs $35.00."], "each place once"
    of = "f 6 of 8 statements about your products checked, none contradicts your shop's records in"
    assert checked_in_words(Account("judging", "answer", 4, 4), 6, 0, 0, len(left)) == (
        f"O{of} 4 answers. 2 statements were not checked."
    )
    partly = Account("judging", "answer", 4, 3)
    partly.leave_out("the judge failed", "q4-r1", failed=True)
    assert checked_in_words(partly, 6, 0, 0, 0).endswith(
        "the 3 of 4 answers looked at; 1 was not: the judge failed (1, first: q4-r1)."
    )


def test_under_the_papers_rules_uncited_claims_come_from_its_other_extraction() -> None:
    run = RUN.model_copy(update={"report_sha": "s"})
    held = {CITED: [PRICE], ALL: [PRICE, GREEN]}
    made = [
        verdict(run, "faithfulness", JUDGE, stage, "report", value=[claim.model_dump(mode="json") for claim in claims])
        for stage, claims in held.items()
    ]
    claims = claim_views(Judged(JUDGE, "paper", tuple(made)), REPORT)
    assert [(claim.number, claim.support) for claim in claims] == [(1, "unjudged"), (2, "uncited")]


def test_a_claim_without_offsets_is_found_by_its_words_and_in_others_has_no_place() -> None:
    (claim,) = claim_views(judged([GREEN]), REPORT)
    assert claim.span is not None
    assert REPORT[slice(*claim.span)] == "It is green."
    (claim,) = claim_views(judged([make_claim(1, "Its colour is green.", [])]), REPORT)
    assert claim.span is None


def test_what_is_false_is_marked_where_it_was_found_and_else_shown_by_the_place_of_its_claim_or_its_words() -> None:
    for report, start, wrong, parts in (
        ("It costs $20, and another $20.", 26, "$20", ("It costs $20, and another ", "$20", ".")),
        ("Of 15 there are **5** left.", 18, "5", ("Of 15 there are ", "5", " left.")),
        ("It costs $20.", 0, "It costs $20.", ("It costs $20.", "", "")),
        ("See [P:jug].", 4, "[P:jug]", ("See ", "[P:jug]", ".")),
        ("[P:jug]", 0, "[P:jug]", ("[P:jug]", "", "")),
    ):
        shown = shown_of(Finding(code="x", severity="error", text=wrong, start=start, end=start + len(wrong)), report)
        assert (shown.before, shown.wrong, shown.after) == parts, report
    (claim,) = claim_views(judged([PRICE], value=0.0), REPORT)
    for text, shown_as in (("The feeder costs $20.", "The feeder costs $20"), ("It is red.", "It is red.")):
        finding = Finding(code="x", severity="error", text=text)
        assert shown_of(finding, REPORT, SimpleNamespace(claims=[claim])).sentence == shown_as, text


def shown_of(finding: Finding, report: str, *judges: Any) -> Any:
    checks = Checks((), (), ())
    view = RunView(1, Path(), subject(report), "done", judges, (), checks, 0, false=(finding,), is_answer=True)
    ((_, shown),) = false_statements(view)
    return shown
