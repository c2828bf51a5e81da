"""Verdicts and values of the checks over recorded runs."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drretail.env.world import World
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import Value
from drretail.eval.metrics.checks import CHECKS, METRIC, clean
from drretail.eval.metrics.checks import values as checks_values
from drretail.experiments.experiment import REFERENCES
from drretail.files import write_json
from drretail.records.evidence import Finding
from drretail.records.reading import Outcome
from drretail.records.score import Verdict
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from drretail.reports.text.evidence_ids import product_evidence_id
from drretail.reports.text.serialisation import record_text
from drretail.shopping.basket import reference_of
from drretail.shopping.listing import listing_of
from tests import build
from tests.build import known
from tests.shop import PRODUCTS, USER

TUBE = PRODUCTS[0]
FEEDER = Wish(wants=(Want(name="feeder", kinds=("bird feeder",)),))
MARK = f"[P:{TUBE.product_id}]"
RIGHT = f"The tube feeder costs ${TUBE.price} {MARK}."
WRONG = f"The tube feeder costs $20.15 {MARK}."


def subject_of(
    report: str, store: Any = None, *, user: bool = True, picks: Sequence[str] | None = None, wish: Wish | None = FEEDER
) -> Subject:
    """Of a run that was shown the tube feeder, for a query that wants a feeder."""
    entry = build.evidence(
        product_evidence_id(TUBE.product_id), build.text(record_text(TUBE), "record"), title=TUBE.title
    )
    asked = build.query(user_id=USER if user else None, wish=wish)
    return build.subject(build.run(report=report, picks=picks), [entry], query=asked, store=store)


def judged(folder: Path, subject: Subject) -> list[Verdict]:
    """The last verdict on how the report was read, and of every check."""
    return build.judged(METRIC, subject, folder / "verdicts.jsonl")


def valued(folder: Path, subject: Subject) -> dict[str, Value]:
    return by_variant(METRIC.values(subject, judged(folder, subject), "default"))


def by_variant(values: Sequence[Value]) -> dict[str, Value]:
    return {value.variant: value for value in values}


def test_without_the_world_what_needs_it_is_na_and_is_made_up_for_later(world: World, tmp_path: Path) -> None:
    report = f"{WRONG} Or that one [P:B0TEST0009]."
    read, *checks = judged(tmp_path, subject_of(report))
    assert (read.stage, read.reason) == ("read", "1 of 1 numbers checked, 1 statement contradicted, picks unknown")
    before = {v.item: v for v in checks}
    assert [*before] == [*CHECKS]
    assert [(found["code"], found["said"]) for found in before["price_wrong"].value] == [("price_wrong", "$20.15")]
    assert (before["not_in_catalog"].state, before["not_in_catalog"].reason) == ("na", "the world is not at hand")
    lines = (tmp_path / "verdicts.jsonl").read_text().count("\n")
    after = {v.item: v for v in judged(tmp_path, subject_of(report, world.store))}
    assert [finding["found"] for finding in after["not_in_catalog"].value] == ["the shop has no product B0TEST0009"]
    assert after["price_wrong"] == before["price_wrong"]
    assert [before["unresolved_citation"].value == [], after["unresolved_citation"].value == []] == [False, True]
    assert (tmp_path / "verdicts.jsonl").read_text().count("\n") == lines + 2
    blind = {v.item: v for v in judged(tmp_path, subject_of(report))}
    assert blind["not_in_catalog"].state == "scored"


def test_a_report_without_errors_is_clean_if_its_picks_are_known(tmp_path: Path) -> None:
    rows = [
        (RIGHT, [TUBE.product_id], 1, 1),
        (RIGHT, None, 0, None),
        (WRONG, [TUBE.product_id], 1, 0),
        (WRONG, None, 0, 0),
    ]
    for number, (report, picks, known_picks, is_clean) in enumerate(rows):
        values = valued(tmp_path / f"{number}", subject_of(report, picks=picks))
        assert (values["picks_known"].value, values["clean"].value) == (known_picks, is_clean), (report, picks)
        kinds = sum(values[code].items.get("errors", 0) > 0 for code in CHECKS)
        assert values["errors"].value == (kinds if known_picks else None), "kinds that nobody could look for are none"


@pytest.mark.parametrize("report", ["", "Nothing fits.", "the query itself", "bird feeder, pole, seed, garden"])
def test_a_report_that_says_nothing_is_not_clean_but_na(world: World, tmp_path: Path, report: str) -> None:
    asked = subject_of("x").query.text
    said = asked if report == "the query itself" else report
    values = valued(tmp_path, subject_of(said, world.store, picks=()))
    assert values["clean"].state == "na"
    scored = {name for name, value in values.items() if value.state == "scored"}
    assert scored <= {"errors", "no_decision", "personal_data_sent", "profile_changed", "picks_known"}


def test_an_error_of_the_run_is_one_of_a_silent_report_and_a_check_that_only_warns_scores_by_warnings() -> None:
    silent = {code: Value(code, "na") for code in CHECKS}
    cited = Value("unresolved_citation", "scored", 0.0, {"errors": 0, "warnings": 0})
    sent = Value("personal_data_sent", "scored", 1.0, {"errors": 1, "warnings": 0})
    single = silent | {"personal_data_sent": sent, "unresolved_citation": cited}
    assert clean(single, can_be=True).value == 0.0
    assert value_of("price_unknown", Finding(code="price_unknown", severity="warning", text="a lamp")) == 1.0
    assert value_of("price_wrong", Finding(code="price_wrong", severity="warning", text="$44")) == 0.0


def value_of(code: str, finding: Finding) -> float | None:
    verdict = build.verdict("checks", "check", code, [finding.model_dump(mode="json")])
    return by_variant(checks_values([verdict]))[code].value


def test_who_buys_nothing_is_clean_only_where_the_shop_has_nothing_that_will_do(tmp_path: Path) -> None:
    """Whatever the reason that it gives, and with true lines on all that it was shown."""
    offers = [[listing_of(TUBE)]]
    for name, budget, state, clean_value in (("met", 500, "refuted", 0), ("unmet", 1, "proved", 1)):
        asked = FEEDER.model_copy(update={"budget": Money.of(budget)})
        subject = subject_of(RIGHT, picks=(), wish=asked)
        reference = reference_of(subject.query, offers, could_be=offers)
        write_json(REFERENCES.path(tmp_path / name, subject.query.query_id), reference.kept.model_dump(mode="json"))
        run = known(subject.run).model_copy(update={"outcome": Outcome(decision="none", because=("too_dear",))})
        values = valued(tmp_path / name, replace(subject, run=run, folder=tmp_path / name))
        assert (known(reference.proof).state, values["clean"].value) == (state, clean_value)
        assert values["refused_wrongly"].value == (None if clean_value else 1)
