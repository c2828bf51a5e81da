"""Texts of reports without the names of systems and models."""

import pytest

from drretail.experiment import Definition
from drretail.records.run import RoleModel, System
from drretail.viewer.voting.items import WITHHELD, Names

CLAUDE = System(agent="hybrid_react", models={"report": RoleModel(spec="anthropic:claude-sonnet-5", kind="llm")})
SHOPPER = System(agent="react", models={"researcher": RoleModel(spec="offline:shopper", kind="rule_based")})
LABEL = "hybrid_react+ws@anthropic-claude-sonnet-5"
DEFINITION = Definition(
    world_fingerprint="f", tool_schema_hash="h", systems={LABEL: CLAUDE, "react@offline-shopper": SHOPPER}
)


@pytest.mark.parametrize(
    "name",
    [
        LABEL,
        "hybrid_react",
        "Hybrid-ReAct",
        "hybrid react",
        "claude-sonnet-5",
        "Claude",
        "Anthropic",
        "offline:shopper",
    ],
)
def test_a_name_in_a_report_is_withheld(name: str) -> None:
    assert Names(DEFINITION).withheld(f"As {name}, I found it.") == f"As {WITHHELD}, I found it."


@pytest.mark.parametrize("text", ["Skin may react.", "A shopper's bag.", "Claudette's mug", "It costs $5 offline."])
def test_ordinary_words_stay(text: str) -> None:
    assert Names(DEFINITION).withheld(text) == text


def test_a_label_that_is_a_word_of_english_stays_in_reports() -> None:
    systems = {"after": SHOPPER.model_copy(update={"agent": "after"}), "my_agent": SHOPPER}
    names = Names(DEFINITION.model_copy(update={"systems": systems}))
    assert names.withheld("Wash it after use, says my_agent.") == f"Wash it after use, says {WITHHELD}."
