"""How many picks a judge reads in reports that declare none; the metrics by code use its reading."""

from collections.abc import Sequence

from drretail.eval.claims.claims import EXTRACT, FAITHFULNESS, PICKS, REPORT
from drretail.eval.claims.claims import VERSION as FAITHFULNESS_VERSION
from drretail.eval.claims.extraction import extract, extraction_prompts, with_picks_prompt
from drretail.eval.claims.read_picks import PickReader, ReportPicks, are_declared, what_picks_are
from drretail.eval.claims.turns import TURN, read_turns, turn_prompt
from drretail.eval.claims.typed_values import (
    CONFIRM,
    PROMPTS,
    READING,
    READING_VERSION,
    confirm_prompt,
    confirmed,
    joined_problems,
    reading_by,
)
from drretail.eval.judging.question import JudgeQuestion, Ruling
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import Metric, Value, all_lacking, description_of, no_value, of_verdicts
from drretail.llm.prompt import Prompt, load_prompt, tagged
from drretail.records.score import Verdict
from drretail.shopping.verify.checks import read_report

NAME, VERSION = READING, READING_VERSION
STAGE, ITEM = PICKS, REPORT
BY_FORM = "a rule-based judge does not read: reports are read by form"
ARE_DECLARED = "the agent declared its picks"
WITH_CLAIMS = "read with the claims"


def prompt(*, is_imported: bool) -> Prompt:
    """The prompt for picks alone."""
    base = load_prompt(PROMPTS, "picks")
    return Prompt(base.name, base.text.replace("{{picked}}", what_picks_are(is_imported=is_imported).rstrip()))


def prompts() -> list[Prompt]:
    return [prompt(is_imported=False), prompt(is_imported=True), turn_prompt(), confirm_prompt(), *extraction_prompts()]


async def judge_reading(subject: Subject, judge_session: JudgeSession) -> None:
    """Records the picks that the judge reads in a report, and what it confirms of its values that records contradict,
    unless they exist; the values are recorded with the claims.
    """
    if judge_session.judge.ref.kind == "rule_based":
        judge_session.record_if_missing(STAGE, ITEM, "na", reason=BY_FORM)
        return
    if subject.answers is not None:
        await read_turns(subject, judge_session)
        if subject.query.wish is None:  # an assistant that was asked to buy nothing
            return
    with judge_session.sibling(FAITHFULNESS, FAITHFULNESS_VERSION) as faithfulness:
        claims = await extract(subject, faithfulness, EXTRACT, with_picks=True)
        with_claims = faithfulness.existing(PICKS, REPORT, with_picks_prompt(subject).hash)
    picks = await _picks(subject, judge_session, with_claims)
    by_model = reading_by(judge_session.judge.slug, claims or (), picks)
    await confirmed(subject.case, judge_session, read_report(subject.case, by_model))


async def _picks(subject: Subject, judge_session: JudgeSession, with_claims: Verdict | None) -> Verdict:
    """The verdict with the picks, asked for if it is missing and they were not read ``with_claims``."""
    if are_declared(subject):
        return judge_session.record_if_missing(STAGE, ITEM, "na", reason=ARE_DECLARED)
    report = subject.report or ""
    wording_asked = prompt(is_imported=subject.system.is_imported)
    if with_claims is not None:
        value, wording = with_claims.value, with_claims.prompt_hash
        return judge_session.record_if_missing(STAGE, ITEM, "scored", value, prompt_hash=wording, reason=WITH_CLAIMS)
    if not report.strip():
        reason = "the report is empty"
        return judge_session.record_if_missing(STAGE, ITEM, "scored", [], prompt_hash=wording_asked.hash, reason=reason)
    material = {"query": tagged("query", subject.query.text), "report": tagged("report", report)}
    reader = PickReader(report, subject.evidence, is_imported=subject.system.is_imported)
    (verdict,) = await judge_session.ask_and_record(
        JudgeQuestion(
            STAGE,
            ITEM,
            wording_asked,
            material,
            ReportPicks,
            lambda answer: Ruling(reader.read(answer.picks)),
            lambda answer: joined_problems(list(reader.problems(answer.picks))),
        )
    )
    return verdict


PICKS_READ = "picks_read"
"""The number of products that a judge reads as picks; na if the agent declared its own."""


def values(verdicts: Sequence[Verdict]) -> list[Value]:
    """The number of picks that the judge read."""
    if {verdict.stage for verdict in verdicts} == {CONFIRM}:  # asked for by false_statements, which reads no picks
        return []
    verdict = next((verdict for verdict in verdicts if verdict.stage == STAGE), None)
    if verdict is None and any(verdict.stage == TURN for verdict in verdicts):
        return [no_value(PICKS_READ, "na")]
    if verdict is None or verdict.state != "scored":
        return all_lacking(verdict, [PICKS_READ])
    return [Value(PICKS_READ, "scored", float(len(verdict.value)))]


DESCRIPTION = description_of("reading")
METRIC = Metric(NAME, VERSION, judge_reading, of_verdicts(values), (PICKS_READ,), DESCRIPTION, prompts)
