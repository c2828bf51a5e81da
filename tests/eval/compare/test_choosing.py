import pytest

from drretail.errors import UnknownName, UserError
from drretail.eval.compare.comparing import assessors_of, chosen_judges, chosen_pairs
from drretail.experiment import Definition
from tests.build import SYSTEM
from tests.eval.compare.crafted import CODE, JUDGE, OTHER, gathered, runs
from tests.eval.compare.test_sentences import pair_row

FLOOR = SYSTEM.model_copy(update={"agent": "null_empty", "models": {}})


def definition(*labels: str) -> Definition:
    systems = dict.fromkeys(labels, SYSTEM) | {"null_empty": FLOOR}
    return Definition(world_fingerprint="f", systems=systems, tool_schema_hash="t")


def test_without_labels_all_that_research_are_paired_and_floors_only_by_name() -> None:
    held = definition("a@m", "b@m", "c@m")
    assert chosen_pairs(held) == [("a@m", "b@m"), ("a@m", "c@m"), ("b@m", "c@m")]
    assert chosen_pairs(held, "b@m") == [("b@m", "a@m"), ("b@m", "c@m")]
    assert chosen_pairs(held, "null", "a") == [("null_empty", "a@m")]


def test_the_order_of_the_two_is_the_user_s() -> None:
    assert chosen_pairs(definition("a@m", "b@m"), "b@m", "a@m") == [("b@m", "a@m")]


def test_a_label_that_is_also_a_beginning_is_itself() -> None:
    assert chosen_pairs(definition("react@m", "react@m-redact"), "react@m", "react@m-r") == [
        ("react@m", "react@m-redact")
    ]


def test_what_names_no_pair_is_refused_with_what_would() -> None:
    held = definition("react@m", "react+ws@m")
    with pytest.raises(UnknownName, match=r"There is no system 'raect@m'. Did you mean react@m"):
        chosen_pairs(held, "raect@m", "react@m")
    with pytest.raises(UserError, match=r"'rea' could be any of react\+ws@m, react@m"):
        chosen_pairs(held, "rea", "react@m")
    with pytest.raises(UserError, match="name two systems"):
        chosen_pairs(held, "react@m", "react@m")
    with pytest.raises(UserError, match="nothing to compare"):
        chosen_pairs(definition("react@m"))


def test_judges_are_heard_all_or_by_name_and_code_always_last() -> None:
    both = {"a": runs([1.0]), "b": runs([0.0])}
    held = gathered(
        ("quality", "overall", OTHER, both), ("quality", "overall", JUDGE, both), ("checks", "clean", CODE, both)
    )
    assert assessors_of(held, chosen_judges(held, ())) == [JUDGE, OTHER, CODE]
    assert assessors_of(held, chosen_judges(held, (), ["openai"])) == [OTHER, CODE]
    with pytest.raises(UnknownName, match="There is no judge with verdicts here 'gemini'"):
        chosen_judges(held, (), ["gemini"])


def test_a_judge_that_only_compared_pairs_can_be_named() -> None:
    held = gathered(("checks", "clean", CODE, {"a": runs([1.0]), "b": runs([0.0])}))
    assert chosen_judges(held, [pair_row("depth", 0.2, 0.05, 0.4)], ["anthropic"]) == {"anthropic:claude", "code"}
