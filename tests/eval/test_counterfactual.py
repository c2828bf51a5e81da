"""Advice, its change, direction and over-use, and whole experiments of agents whose way with a profile is known."""

from collections.abc import Collection, Sequence
from pathlib import Path

from drretail.agents.base import Agent
from drretail.agents.running.run import Batch, open_experiment
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest, varied
from drretail.env.world import open_world
from drretail.eval import counterfactual
from drretail.eval.counterfactual import (
    NO_FACTUAL,
    NO_REPEATS,
    Advice,
    Change,
    changes,
    counterfactual_rows,
    direction,
    measured,
    overridden,
)
from drretail.eval.judging.subject import Subject, read_subjects
from drretail.grounding.text.serialisation import compact_json, product_card, record_text
from drretail.records.evidence import Evidence
from drretail.records.query import Counterfactual, ProfileTraits, Query
from drretail.records.score import Score
from drretail.records.shop import Money, Product
from drretail.records.wish import Demand, Want, Wish
from tests import build, two_tastes
from tests.agents.own import IGNORING, OBEYING
from tests.build import demands, known, scripted_judge
from tests.two_tastes import BIRDS, DOGS, PRODUCTS

KNOWN = {product.product_id: product for product in PRODUCTS}
BIRD_LOVER = ProfileTraits(user_id=BIRDS, orders=3, categories={"Bird Feeders": 3}, brands={"Tanagrove": 3})
DOG_OWNER = ProfileTraits(user_id=DOGS, orders=4, categories={"Dog Beds": 4}, brands={"Napperly": 4})
BIRD_FEEDER, DOG_BED = KNOWN["B0BIRD0000"], KNOWN["B0DOGS0000"]


def advice(*product_ids: str, broken: Collection[str] = ()) -> Advice:
    return Advice(recommended={key: KNOWN[key] for key in product_ids}, broken=frozenset(broken))


def evidence(*products: Product) -> list[Evidence]:
    """As the ledger holds a record that was seen first, and then its card once more."""
    return [
        build.evidence(
            f"P:{product.product_id}",
            build.text(record_text(product), "record"),
            build.text(compact_json(product_card(product)), "card", seq=1),
            title=product.title,
        )
        for product in products
    ]


def subject(products: Sequence[Product] | None, wish: Wish | None = None) -> Subject:
    """Of a run that declares these picks, or none."""
    picks = None if products is None else [product.product_id for product in products]
    return build.subject(build.run(picks=picks), evidence(*KNOWN.values()), query=build.query(wish=wish))


def a_wish(*kinds: str, budget: int | None = None, **limits: object) -> Wish:
    want = Want.model_validate({"name": "thing", "kinds": kinds or ("bird feeder", "dog bed"), **limits})
    return Wish(wants=(want,), budget=None if budget is None else Money.of(budget))


def broken(wish: Wish, *products: Product) -> frozenset[str]:
    advice = counterfactual.read_advice(subject(products, wish))
    return known(advice).broken


def test_each_limit_of_the_wish_can_be_broken_by_products_of_its_own_want() -> None:
    assert broken(a_wish(budget=30), DOG_BED) == {"budget"}
    assert broken(a_wish(budget=30), BIRD_FEEDER) == frozenset()
    assert broken(a_wish(price_max=Money.of(30)), DOG_BED, BIRD_FEEDER) == {"thing: price_max"}
    assert broken(a_wish(rating_min=4.6), BIRD_FEEDER) == {"thing: rating_min"}
    assert broken(a_wish(ratings_min=101), BIRD_FEEDER) == {"thing: ratings_min"}
    assert broken(a_wish(rating_min=4.5, ratings_min=100), BIRD_FEEDER) == frozenset()
    assert broken(a_wish(brands_unwanted=("Napperly",)), DOG_BED, BIRD_FEEDER) == {"thing: brands_unwanted Napperly"}
    assert broken(a_wish(brands_wanted=("Tanagrove",)), DOG_BED) == {"thing: brands_wanted"}
    assert broken(a_wish(brands_wanted=("Tanagrove",)), DOG_BED, BIRD_FEEDER) == frozenset()
    assert broken(a_wish(must_not=("dog",)), DOG_BED) == {"thing: must_not dog"}
    assert broken(a_wish(must=(Demand(say="bird", none_of=("dog",)),)), DOG_BED) == {"thing: must bird"}
    assert broken(a_wish(must=("bird",)), DOG_BED) == frozenset(), "its record says nothing of birds"

    wish = Wish(
        wants=(
            Want(name="feeder", kinds=("bird feeder",), brands_unwanted=("Napperly",), must=demands("dog")),
            Want(name="bed", kinds=("dog bed",), must_not=demands("bird")),
        )
    )
    assert broken(wish, DOG_BED, BIRD_FEEDER) == frozenset()

    assert counterfactual.read_advice(subject(None)) is None
    silent = known(counterfactual.read_advice(subject([], a_wish(must=("bird",), brands_wanted=("Tanagrove",)))))
    assert (silent.recommended, silent.broken) == ({}, frozenset())


def test_change_is_over_all_pairs_and_what_repeats_change_is_taken_off() -> None:
    assert counterfactual.distance(frozenset("ab"), frozenset("bc")) == 1 - 1 / 3
    assert counterfactual.distance(frozenset("a"), frozenset()) == 1
    assert counterfactual.distance(frozenset(), frozenset()) is None
    plain = [advice("B0BIRD0000"), advice("B0BIRD0001")]
    found = changes(plain, [advice("B0BIRD0000"), advice("B0DOGS0000")])
    assert (found.change, found.repeats, found.most, found.beyond) == (0.75, 1.0, 1.0, -0.25)


BIRD, DOG = "B0BIRD0000", "B0DOGS0000"


def test_gaining_what_the_partner_buys_is_towards_the_partner_but_not_what_either_has_already() -> None:
    found = direction([advice(BIRD)], [advice(DOG)], BIRD_LOVER, DOG_OWNER)
    assert (found.toward_other, found.toward_own, found.neither, found.value) == (2, 0, 0, 1.0)
    back = direction([advice(DOG)], [advice(BIRD)], BIRD_LOVER, DOG_OWNER)
    assert back.value == -1.0

    # The bird lover's own feeder is left out for him, and recommended to somebody else: both are right.
    owner = BIRD_LOVER.model_copy(update={"products": (BIRD,)})
    found = direction([advice("B0BIRD0001")], [advice(BIRD, "B0BIRD0001")], owner, DOG_OWNER)
    assert (found.toward_other, found.toward_own, found.neither, found.owned) == (0, 0, 0, 1)
    assert found.value is None
    partner = DOG_OWNER.model_copy(update={"products": (DOG,)})
    found = direction([advice(DOG)], [advice("B0DOGS0001")], BIRD_LOVER, partner)
    assert (found.toward_other, found.toward_own, found.owned) == (1, 0, 1)


def test_a_constraint_is_overridden_when_only_the_other_reports_break_it() -> None:
    kept, broken = advice(BIRD), advice(DOG, broken=["budget"])
    assert overridden([kept], [broken]) == {"budget"}
    assert overridden([broken], [broken]) == frozenset()
    assert overridden([broken], [kept]) == frozenset()
    assert overridden([kept], [kept, broken]) == frozenset(), "most repeats decide"
    assert overridden([kept, broken], [broken, broken, kept]) == {"budget"}
    assert overridden([kept], [broken, advice()]) == {"budget"}, "who recommends nothing has no say"


ASKED = build.query("q", "A feeder?", user_id=BIRDS, wish=Wish(wants=(Want(name="feeder", kinds=("bird feeder",)),)))
FROZEN = Counterfactual(user_id=BIRDS, rule="x", own=BIRD_LOVER, partner=DOG_OWNER)


def test_a_profile_is_ignored_where_nothing_changes_more_than_between_repeats_and_there_are_orders() -> None:
    assert counterfactual.is_ignored(Change(0.0, 0.0, 0.0)) is True
    assert counterfactual.is_ignored(Change(0.5, 0.4, 0.5)) is True
    assert counterfactual.is_ignored(Change(0.6, 0.4, 0.5)) is False
    assert counterfactual.is_ignored(Change(0.1, None, None)) is False

    bare = FROZEN.model_copy(update={"own": ProfileTraits(user_id=BIRDS, orders=0)})
    assert measured(ASKED, bare, "neutral", [advice(BIRD)], [advice(BIRD)]).ignored is None
    assert measured(ASKED, FROZEN, "neutral", [advice(BIRD)], [advice(BIRD)]).ignored is True


def test_a_neutral_profile_overrides_nothing_and_another_user_s_only_where_something_is_recommended() -> None:
    found = measured(ASKED, FROZEN, "neutral", [advice(BIRD)], [advice(DOG, broken=["budget"])])
    assert found.overused_constraint is None
    assert found.direction.value == 0.5  # its own thing lost; the new one agrees with nobody

    found = measured(ASKED, FROZEN, "swap", [advice(BIRD)], [advice(DOG, broken=["budget"])])
    assert found.overused_constraint is True
    assert measured(ASKED, FROZEN, "swap", [advice(BIRD)], [advice()]).overused_constraint is None
    untyped = build.query("q", "A feeder?", user_id=BIRDS)
    assert measured(untyped, FROZEN, "swap", [advice(BIRD)], [advice(DOG)]).overused_constraint is None


FOR_30 = Wish(wants=(Want(name="feeder", kinds=("bird feeder",)),), budget=Money.of(30))
ANOTHER = FOR_30.model_copy(update={"owned": ("B0BIRD0000",)})
QUERIES = [
    Query(query_id="q1", user_id=BIRDS, text="I bought a feeder; another under $30?", source="t", wish=ANOTHER),
    Query(query_id="q2", user_id=BIRDS, text="A bird feeder, at most $30.", source="t", wish=FOR_30),
    Query(query_id="q3", text="A bird feeder under $30, please.", source="t", wish=FOR_30),
]
Rows = dict[str, Score]


def an_experiment(folder: Path, agent: Agent, repeats: int = 2, *, asked: int = 3, factual: bool = True) -> Path:
    """Of the agent and, on as many of the queries, with other profiles; ``factual`` is it itself as well."""
    with open_world(two_tastes.build_shop(folder / "w")) as shop:
        plain = SystemUnderTest.of("minded", agent, {}, shop)
        swapped = varied([plain], {"counterfactual": "swap,neutral"}, shop, QUERIES).systems
        for players, queries in (([plain], QUERIES if factual else []), (swapped, QUERIES[:asked])):
            if queries:
                with open_experiment(folder / "exp", shop, queries, players, "42", is_part=True) as experiment:
                    Batch(Runner(shop, str(folder / "w")), experiment).run_all(players, queries, repeats)
    return folder / "exp"


def of(rows: list[Score], kind: str) -> Rows:
    return {row.variant: row for row in rows if row.system.endswith(kind)}


def test_who_never_looks_at_the_profile_ignores_it_and_is_judged_by_what_it_could_see(tmp_path: Path) -> None:
    folder = an_experiment(tmp_path, IGNORING)
    rows = counterfactual_rows(folder)
    for kind in ("swap", "neutral"):
        found = of(rows, kind)
        assert [found[name].value for name in ("ignored", "change", "beyond")] == [1.0, 0.0, 0.0]
        assert found["direction"].value is None
    assert of(rows, "swap")["overused_constraint"].value == 0.0
    assert "overused_constraint" not in of(rows, "neutral")

    with open_world(tmp_path / "w") as shop:
        subjects = {each.label: each for each in read_subjects(folder, shop.store) if each.query.query_id == "q1"}
        seen = {label: known(each.store).statistics(BIRDS).orders for label, each in subjects.items()}
    assert seen == {"minded": 3, "minded-counterfactual-swap": 4, "minded-counterfactual-neutral": 0}
    assert {label for label, each in subjects.items() if each.profile is not None} == {"minded"}


def test_who_looks_at_nothing_else_over_uses_it_and_no_model_is_asked_about_other_profiles(tmp_path: Path) -> None:
    folder = an_experiment(tmp_path, OBEYING)
    rows = counterfactual_rows(folder)
    found = of(rows, "swap")
    assert (found["ignored"].value, found["change"].value, found["direction"].value) == (0.0, 1.0, 1.0)
    assert found["overused_constraint"].value == 1.0
    assert found["direction"].items == {"toward_other": 16, "toward_own": 0, "neither": 0, "owned": 0}
    assert (found["ignored"].ci_low, found["ignored"].ci_high) == (None, None)  # of two queries
    assert of(rows, "neutral")["change"].value == 1.0

    judge, asked = scripted_judge(lambda text: {"rating": 5, "justification": "It is so."})
    with open_world(tmp_path / "w") as shop:
        scores = build.scored(folder, ["checks", "quality"], judge, store=shop.store)
    assert scores.counterfactuals == tuple(rows)
    assert {row.system for row in scores.scores if row.metric == "quality"} == {"minded"}
    assert len({row.system for row in scores.scores if row.metric == "checks"}) == 3
    assert not any("Dog Bed" in question for question in asked)


def test_without_repeats_the_bare_change_is_shown_and_what_is_missing_is_named(tmp_path: Path) -> None:
    found = of(counterfactual_rows(an_experiment(tmp_path, OBEYING, repeats=1)), "swap")
    assert (found["change"].value, found["beyond"].value, found["ignored"].value) == (1.0, None, 0.0)
    assert {found[name].note for name in ("change", "beyond", "ignored")} == {NO_REPEATS}
    assert found["direction"].note is None


def test_a_system_without_its_factual_one_is_named_and_not_measured(tmp_path: Path) -> None:
    rows = counterfactual_rows(an_experiment(tmp_path, OBEYING, repeats=1, factual=False))
    assert {row.system for row in rows} == {"minded-counterfactual-swap", "minded-counterfactual-neutral"}
    assert {(row.value, row.n_failed, row.note) for row in rows} == {(None, 3, NO_FACTUAL)}


def test_what_only_the_system_itself_was_asked_counts_neither_as_planned_nor_as_failed(tmp_path: Path) -> None:
    row = of(counterfactual_rows(an_experiment(tmp_path, IGNORING, repeats=1, asked=1)), "swap")["ignored"]
    assert (row.n_planned, row.n_scored, row.n_failed, row.n_na) == (1, 1, 0, 0)
