"""What everybody is asked. Also tests items.py and results.py. sheet_of: tests/addons/lab/test_opinions.py."""

import shutil
from collections import Counter
from pathlib import Path

from drretail.addons.people.items import WITHHELD, Names
from drretail.addons.people.plan import planned
from drretail.addons.people.results import PairCount, results_of
from drretail.eval.ballots import plan_path
from drretail.experiments.experiment import Definition, run_path
from drretail.experiments.run_file import read_run
from drretail.records.base import sha256_of
from drretail.records.run import RoleModel, System
from tests.viewer.agents import vote
from tests.viewer.experiment import rewrite


def test_pairs_are_balanced_and_one_experiment_has_one_plan(exp: Path, answered: Path, tmp_path: Path) -> None:
    plan = planned(exp, 6)
    assert len(plan.pairs) == 6
    assert set(Counter((pair.a, pair.b) for pair in plan.pairs).values()) == {2}
    assert set(Counter(pair.query_id for pair in plan.pairs).values()) == {2}

    one, other = (Path(shutil.copytree(answered, tmp_path / name)) for name in ("one", "other"))
    assert planned(one, 5) == planned(other, 5)


def test_a_plan_that_is_begun_only_grows_at_its_end(exp: Path) -> None:
    first = planned(exp, 4)
    written = plan_path(exp).read_bytes()
    assert planned(exp, 4) == first
    assert plan_path(exp).read_bytes() == written
    more = planned(exp, 7)
    assert more.pairs[:4] == first.pairs
    assert more.claims[:4] == first.claims
    assert planned(exp, 2).pairs == first.pairs[:2]
    assert len(planned(exp).pairs) == 9


def test_two_reports_that_say_the_same_are_never_a_pair(exp: Path) -> None:
    one, other = (read_run(run_path(exp, label, "q1", 1)) for label in ("zephyr", "quartz"))
    same = f"{one.report}\n"
    rewrite(exp, other.model_copy(update={"report": same, "report_sha": sha256_of(same)}))
    pairs = planned(exp).pairs
    assert len(pairs) == 8
    assert all({pair.a, pair.b} != {"quartz", "zephyr"} for pair in pairs if pair.query_id == "q1")


def test_votes_are_counted_for_systems_whichever_is_named_first() -> None:
    found = results_of([vote("ann", "1", "a"), vote("ben", "1", "b", a="b", b="a"), vote("ann", "2", "tie")])
    assert found.pairs == (PairCount("a", "b", "depth", 2, 1, 0),)
    assert [(person.annotator, person.votes, person.pairs) for person in found.people] == [("ann", 2, 2), ("ben", 1, 1)]


def test_a_name_in_a_report_is_withheld_and_ordinary_words_stay() -> None:
    claude = System(agent="hybrid_react", models={"report": RoleModel(spec="anthropic:claude-sonnet-5", kind="llm")})
    shopper = System(agent="react", models={"researcher": RoleModel(spec="offline:shopper", kind="rule_based")})
    label = "hybrid_react+ws@anthropic-claude-sonnet-5"
    systems = {label: claude, "react@offline-shopper": shopper}
    names = Names(Definition(world_fingerprint="f", tool_schema_hash="h", systems=systems))
    spellings = ("hybrid_react", "Hybrid-ReAct", "hybrid react", "claude-sonnet-5", "Claude", "Anthropic")
    for name in (label, *spellings, "offline:shopper"):
        assert names.withheld(f"As {name}, I found it.") == f"As {WITHHELD}, I found it."
    for text in ("Skin may react.", "A shopper's bag.", "Claudette's mug", "It costs $5 offline."):
        assert names.withheld(text) == text
