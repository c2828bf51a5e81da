"""Verdicts and values of the checks over recorded runs."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from drretail.env.world import open_world
from drretail.eval.checks import METRIC
from drretail.eval.checks.judge import case_of
from drretail.eval.checks.score import clean
from drretail.eval.checks.score import values as checks_values
from drretail.eval.judging.session import CODE_JUDGE, JudgeSession
from drretail.eval.judging.subject import Subject, read_subjects
from drretail.eval.judging.verdicts import VerdictFile
from drretail.eval.metric import Metric, Value
from drretail.grounding.checks import CHECKS
from drretail.grounding.evidence_ids import web_evidence_id
from drretail.records.evidence import Evidence, Finding
from drretail.records.score import Verdict
from tests.eval.folders import LABEL, experiment
from tests.shop import USER, build

WRONG = "The one [P:B0TEST0009] costs $20 + $10 = $40."


def subject_of(folder: Path, report: str, store: Any = None, *, user: bool = True) -> Subject:
    users = {"q1": USER} if user else {}
    (subject,) = read_subjects(experiment(folder, {LABEL: {"q1-r1": report}}, users=users), store)
    return subject


def judge_session_of(folder: Path, subject: Subject) -> JudgeSession:
    assert subject.run is not None
    return JudgeSession(
        CODE_JUDGE,
        VerdictFile(folder / "verdicts.jsonl"),
        metric="checks",
        version=1,
        run_id=subject.run_id,
        report_sha=str(subject.run.report_sha),
    )


async def judged(folder: Path, subject: Subject) -> list[Verdict]:
    """The last verdict of every check."""
    with judge_session_of(folder, subject) as judge_session:
        await METRIC.judge(subject, judge_session)
        found = [judge_session.standing("check", code) for code in CHECKS]
    return [verdict for verdict in found if verdict is not None]


def by_variant(values: list[Value]) -> dict[str, Value]:
    return {value.variant: value for value in values}


def test_the_checks_are_a_metric_that_needs_no_judge() -> None:
    assert isinstance(METRIC, Metric)
    assert not METRIC.needs_judge
    assert METRIC.variants() == ("clean", *CHECKS)


@pytest.mark.anyio
async def test_every_check_gets_one_verdict_whose_value_are_its_findings(tmp_path: Path) -> None:
    verdicts = {verdict.item: verdict for verdict in await judged(tmp_path, subject_of(tmp_path / "exp", WRONG))}
    assert list(verdicts) == list(CHECKS)
    (finding,) = verdicts["total_wrong"].value
    assert (finding["code"], finding["found"]) == ("total_wrong", "$30.00")
    assert verdicts["total_wrong"].judge.spec == "code"
    assert (verdicts["profile_changed"].state, verdicts["profile_changed"].value) == ("scored", [])
    assert verdicts["repeated_section"].state == "na"


@pytest.mark.anyio
async def test_without_the_world_what_needs_it_is_na_and_is_made_up_for_later(tmp_path: Path) -> None:
    before = {v.item: v for v in await judged(tmp_path, subject_of(tmp_path / "exp", WRONG))}
    assert (before["not_in_catalog"].state, before["not_in_catalog"].reason) == ("na", "the world is not at hand")
    lines = (tmp_path / "verdicts.jsonl").read_text().count("\n")
    with open_world(build(tmp_path / "world")) as world:
        after = {v.item: v for v in await judged(tmp_path, subject_of(tmp_path / "exp", WRONG, world.store))}
    assert [finding["found"] for finding in after["not_in_catalog"].value] == ["the shop has no product B0TEST0009"]
    assert after["total_wrong"] == before["total_wrong"]
    assert (tmp_path / "verdicts.jsonl").read_text().count("\n") == lines + 1


@pytest.mark.anyio
async def test_the_worlds_orders_tell_what_a_user_owns(tmp_path: Path) -> None:
    report = "I recommend the Tanagrove Bird Bath [P:B0TEST0004]."
    with open_world(build(tmp_path / "world")) as world:
        subject = subject_of(tmp_path / "exp", report, world.store)
        case = case_of(subject)
    assert "B0TEST0004" in case.all_owned


@pytest.mark.anyio
async def test_a_report_is_clean_in_a_check_that_finds_no_error(tmp_path: Path) -> None:
    subject = subject_of(tmp_path / "exp", WRONG)
    values = by_variant(METRIC.values(subject, await judged(tmp_path, subject), "default"))
    assert (values["total_wrong"].value, values["total_wrong"].items) == (0.0, {"errors": 1, "warnings": 0})
    assert (values["profile_changed"].value, values["profile_changed"].items["errors"]) == (1.0, 0)
    assert values["unwanted_brand"].state == "na"
    assert (values["clean"].value, values["clean"].items["errors"]) == (0.0, 1)


QUERY = "the query itself"


@pytest.mark.anyio
@pytest.mark.parametrize("report", ["", "Nothing fits.", QUERY, "bird feeder, pole, seed, garden"])
async def test_a_report_that_says_nothing_is_not_clean_but_na(tmp_path: Path, report: str) -> None:
    asked = subject_of(tmp_path / "asked", "x").query.text
    with open_world(build(tmp_path / "world")) as world:
        subject = subject_of(tmp_path / "exp", asked if report == QUERY else report, world.store)
        values = by_variant(METRIC.values(subject, await judged(tmp_path, subject), "default"))
    assert values["clean"].state == "na"
    scored = {name for name, value in values.items() if value.state == "scored"}
    assert scored <= {"personal_data_sent", "profile_changed"}


@pytest.mark.anyio
async def test_a_report_that_says_what_is_right_is_clean(tmp_path: Path) -> None:
    subject = subject_of(tmp_path / "exp", "$10 + $20 = $30", user=False)
    values = by_variant(METRIC.values(subject, await judged(tmp_path, subject), "default"))
    assert values["clean"].value == 1.0


def test_an_error_of_the_run_is_one_even_where_the_report_says_nothing() -> None:
    silent = {code: Value(code, "na") for code in CHECKS}
    sent = Value("personal_data_sent", "scored", 0.0, {"errors": 1, "warnings": 0})
    assert clean([*(silent | {"personal_data_sent": sent}).values()]).value == 0.0


def test_a_check_without_a_verdict_is_failed_and_never_clean(tmp_path: Path) -> None:
    values = by_variant(METRIC.values(subject_of(tmp_path / "exp", WRONG), [], "default"))
    assert {value.state for value in values.values()} == {"failed"}


def test_no_variant_is_pooled(tmp_path: Path) -> None:
    assert METRIC.pooled_variants() == frozenset()
    with pytest.raises(KeyError):
        METRIC.pooled("clean", {})


@pytest.mark.anyio
async def test_old_pages_are_judged_again_when_another_age_is_chosen(tmp_path: Path) -> None:
    url = "https://birds.example/height"
    page = Evidence(id=web_evidence_id(url), kind="web", key=url, title="Height", url=url, date="2021-06-01")
    found: list[int] = []
    for age in (3, 1, 1, 3):
        subject = replace(
            subject_of(tmp_path / "exp", f"Hang it high [{page.id}].", user=False),
            evidence={page.id: page},
            now=datetime(2023, 9, 24, tzinfo=UTC),
            page_age=age,
        )
        verdicts = {verdict.item: verdict for verdict in await judged(tmp_path, subject)}
        found.append(len(verdicts["old_page"].value))
        scored = by_variant(METRIC.values(subject, list(verdicts.values()), "default"))
        assert (scored["old_page"].value, scored["clean"].value) == (float(not found[-1]), 1)
    assert found == [0, 1, 1, 0]
    lines = (tmp_path / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()
    assert sum('"item":"old_page"' in line for line in lines) == 3


def value_of(code: str, finding: Finding) -> float | None:
    verdict = Verdict(
        metric="checks",
        version=1,
        stage="check",
        item=code,
        run_id="a/q1-r1",
        report_sha="r",
        judge=CODE_JUDGE.ref,
        state="scored",
        value=[finding.model_dump(mode="json")],
    )
    return by_variant(checks_values([verdict]))[code].value


def test_a_check_that_only_warns_scores_by_its_warnings() -> None:
    assert value_of("old_page", Finding(code="old_page", severity="warning", said="a page of 2012")) == 0.0
    assert value_of("price_wrong", Finding(code="price_wrong", severity="warning", said="$44")) == 1.0
