"""Queries made harder, step by step."""

import json
from collections.abc import Iterator
from itertools import islice, pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from drretail.api.worlds import open_world
from drretail.cli.queries.group import queries_app
from drretail.difficulty.hardening import AXES, Axis, Hardener, generate_at
from drretail.env.world import World
from drretail.errors import UserError
from drretail.querygen.generate import generate_for, generate_sampled
from drretail.records.query import Query
from drretail.records.wish import Wish

USERS = ["ANNA", "CARA", "FAYE", "GUNN_1", "GUNN_2"]


@pytest.fixture(scope="module")
def hardener(world: World) -> Hardener:
    return Hardener(world, "42")


@pytest.fixture(scope="module")
def demo() -> Iterator[World]:
    """The small shop has no budget that is harder for some solver and easier for none."""
    with open_world("demo") as world:
        yield world


@pytest.fixture(scope="module")
def drafts(world: World) -> tuple[Query, ...]:
    return generate_for(world, USERS, per_user=3, seed="42").queries


def wish_of(query: Query) -> Wish:
    assert query.wish is not None
    return query.wish


def stepped(hardener: Hardener, drafts: tuple[Query, ...], axis: Axis) -> list[tuple[Query, Query]]:
    pairs = ((draft, step) for draft in drafts for step in islice(hardener.steps(draft, axis), 1))
    found = list(islice(pairs, 3))
    assert found
    return found


@pytest.mark.parametrize("axis", AXES)
def test_a_step_can_be_met_nothing_is_found_in_it_and_no_solver_finds_it_easier(
    axis: Axis, hardener: Hardener, drafts: tuple[Query, ...]
) -> None:
    for draft in drafts:
        for step in islice(hardener.steps(draft, axis), 3):
            before, after = hardener.dial.task(draft), hardener.dial.task(step)
            assert before is not None
            assert after is not None
            assert all(later >= loss - 1e-9 for loss, later in zip(before.losses, after.losses, strict=True))
            assert axis == "purchase" or before.best_worth == after.best_worth
            assert not hardener.linter.findings(step)


def test_a_tighter_budget_is_below_the_one_before_and_a_cart_that_could_be_bought(demo: World) -> None:
    hardener = Hardener(demo, "42")
    for draft, step in stepped(hardener, generate_sampled(demo, 8, per_user=1, seed="42").queries, "budget"):
        task = hardener.dial.task(draft)
        assert task is not None
        carts = [cost for hits in (1, 3, 5, 10) if (cost := task.cheapest_among(hits)) is not None]
        budgets = [each.wish.budget.value for each in (draft, step) if each.wish and each.wish.budget]
        assert max(carts) > budgets[-1]
        # Of carts above the budget that there is now none is a step.
        again = [each.wish.budget for each in hardener.steps(step, "budget") if each.wish]
        budgets += [amount.value for amount in again if amount]
        assert all(later < before for before, later in pairwise(budgets))


def test_a_demand_more_removes_the_first_fit(hardener: Hardener, drafts: tuple[Query, ...]) -> None:
    for draft, step in stepped(hardener, drafts, "demand"):
        changed = [
            (one, other) for one, other in zip(wish_of(draft).wants, wish_of(step).wants, strict=True) if one != other
        ]
        ((one, other),) = changed
        fits = hardener.dial.offers.reference(draft).things[wish_of(draft).wants.index(one)].fits
        ids = {fit.product_id for fit in fits}
        first = next(key for ranked in hardener.dial.ranked(one) for key in ranked if key in ids)
        assert first not in hardener.dial.offers.would_do(other)


def test_an_older_purchase_is_named_by_its_order_alone(hardener: Hardener, drafts: tuple[Query, ...]) -> None:
    for draft, step in stepped(hardener, drafts, "purchase"):
        (order_id,) = set(wish_of(step).orders) - set(wish_of(draft).orders)
        assert order_id in step.text
        found = [hardener.dial.difficulty(query) for query in (draft, step)]
        assert found[1].history >= found[0].history
        assert wish_of(step).wants[-1].name not in step.text


def test_versions_grow_harder_and_never_pass_the_level(hardener: Hardener, drafts: tuple[Query, ...]) -> None:
    for draft in drafts[:4]:
        versions = list(hardener.brought_to(draft, 5))
        losses = [hardener.dial.difficulty(version).loss or 0 for version in versions]
        assert all(before < after for before, after in pairwise(losses))
        assert all(version.level is not None and version.level <= 5 for version in versions)
        assert [version.level for version in versions] == [hardener.dial.difficulty(each).level for each in versions]


def test_users_without_a_query_of_the_level_are_named_and_where_nobody_has_one_the_nearest_is(world: World) -> None:
    with pytest.raises(UserError, match=r"of level 9 could be made; the nearest one has level [0-8]"):
        generate_at(world, [9], 9, seed="42", users=USERS[:1])
    made = generate_at(world, [3, 5], 4, seed="42")
    assert {query.level for query in made.queries} == {3, 5}
    assert len({query.user_id for query in made.queries}) == len(made.queries) == made.users
    assert not {*made.without} & {query.user_id for query in made.queries}


def call(*arguments: str) -> Result:
    return CliRunner().invoke(queries_app, arguments)


def test_the_commands_write_levels(world: World, tmp_path: Path) -> None:
    to, measured = str(tmp_path / "made.jsonl"), tmp_path / "measured.jsonl"
    place = ["--world", str(world.folder)]
    made = call("generate", "--level", "5", "--users", "2", "--to", to, *place)
    assert made.exit_code == 0
    assert "2 queries of 2 users" in made.stdout
    found = call("difficulty", to, "--to", str(measured), "--json", *place)
    assert [row["level"] for row in json.loads(found.stdout)["queries"]] == [5, 5]
    assert measured.read_text("utf-8") == Path(to).read_text("utf-8")
    loud, quiet = (call("difficulty", to, *place, *flag) for flag in ([], ["-q"]))
    assert ("Measuring queries" in loud.stderr, quiet.stderr) == (True, "")
    assert loud.stdout == quiet.stdout != ""
    assert call("generate", "--level", "5", "--per-user", "2", "--to", to, *place).exit_code != 0


def test_a_file_that_exists_is_refused_before_anything_is_measured(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for slow in ("drretail.difficulty.hardening.generate_at", "drretail.difficulty.measure.Dial"):
        monkeypatch.setattr(slow, lambda *_, **__: pytest.fail("this is slow"))
    used, shipped = tmp_path / "used.jsonl", str(tmp_path / "dev.jsonl")
    used.write_text("somebody's work\n")
    call("shipped", "--to", shipped)
    for command in (["generate", "--level", "5"], ["difficulty", shipped]):
        refused = call(*command, "--to", str(used), "--world", str(world.folder))
        assert str(refused.exception) == f"{used} exists: name another file, or add --force."
