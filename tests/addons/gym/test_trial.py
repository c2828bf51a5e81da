"""``drretail try``: one agent on one query, its reward, and the same of last time."""

from collections.abc import Callable
from pathlib import Path

import pytest

from drretail import run
from drretail.addons.gym import Shop
from drretail.addons.gym.env import recorded_rewards
from drretail.addons.gym.trial import try_agent
from drretail.errors import UnknownName, UserError
from drretail.querygen.reading import shipped_queries
from drretail.tools.toolkit import Toolkit

QUERY = shipped_queries("dev")[0]


def test_a_trial_has_the_reward_of_the_same_run_and_of_the_one_before(tmp_path: Path) -> None:
    first = try_agent("react", QUERY.query_id, to=tmp_path / "trials")
    again = try_agent("react", QUERY.query_id, to=tmp_path / "trials")
    assert first.before is None
    assert again.before is not None
    assert again.before.reward == first.reward == again.reward
    assert again.answer.experiment == tmp_path / "trials" / "react" / QUERY.query_id / "2"
    run("demo", [QUERY], "react", to=tmp_path / "exp", baselines=False)
    with Shop.open("demo", [QUERY]) as shop:
        ((_, reward),) = recorded_rewards(tmp_path / "exp", shop)
    assert first.reward == reward
    assert bool(first.findings) == (reward.value == 0)


def test_an_unknown_query_is_told_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="Did you mean dev-1"):
        try_agent(lambda question: "Nothing.", "dev-1", to=tmp_path)


def test_a_trial_heeds_one_value_of_each_condition(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="answered once: give each --vary one value"):
        try_agent("react", QUERY.query_id, to=tmp_path, vary={"without": "none,web"})
    trial = try_agent("react", QUERY.query_id, to=tmp_path, vary={"without": "web"})
    assert trial.answer.run.system == "react@offline-shopper-without-web"


def test_the_parts_of_a_trial_leave_out_what_has_nothing_to_measure(tmp_path: Path) -> None:
    def silent(question: str) -> str:
        return "Nothing."

    def bib(question: str, toolkit: Toolkit) -> str:
        (hit, *_) = toolkit.call("product_catalog_search", {"query": "silicone bib", "limit": 1}).value["hits"]
        return f"Take {hit['title']} [{hit['evidence']}].\n\n```picks\n{hit['evidence']} x 1\n```"

    def measured(agent: Callable[..., str]) -> set[str]:
        parts = try_agent(agent, QUERY.query_id, to=tmp_path).parts
        return {part for part, value in parts.items() if value != "n/a"} - {"value", "why"}

    assert measured(silent) == {"web"}
    assert measured(bib) == {"web", "worth", "integrity"}, "no pick is wanted"
