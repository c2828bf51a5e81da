"""A release from its making to its ranking, on a small shop with a contestant who follows rules."""

import gzip
import shutil
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import cast

import pytest

from drretail import run, score
from drretail.addons.bench import release, submission
from drretail.addons.bench.commands import make as make_by_command
from drretail.addons.bench.ranking import Ranking, rank
from drretail.addons.bench.release import make, publish, read_release
from drretail.addons.bench.submission import submit
from drretail.data_ingest.demo import Shop
from drretail.data_ingest.demo import build_shop as build_made_up_shop
from drretail.env.manifest import TRANSIENT
from drretail.env.world import World, open_world
from drretail.errors import UserError
from drretail.eval.metrics.truth import Truth
from drretail.experiment import Definition, read_definition
from drretail.files import read_json, write_json, write_lines
from drretail.grounding.gold_files import write_with_gold
from drretail.progress import Progress
from drretail.querygen.reading import read_queries
from drretail.records.base import sha256_of
from drretail.records.criteria import Fact
from drretail.records.query import Query
from drretail.records.run import RoleModel, System
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from tests.shop import USER, build_shop

EXAMPLE = Path(__file__).parents[3] / "docs" / "bench"
CLOSES = datetime(2099, 12, 1, tzinfo=UTC)
LABEL = "react@offline-shopper"
SEED = "a seed that nobody guesses"


def wish(kind: str, budget: str) -> Wish:
    return Wish(wants=(Want(name=kind, kinds=(kind,), again=True),), budget=Money(amount=budget, currency="USD"))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of three queries, what is published of it, and one contestant's runs."""
    home = tmp_path_factory.mktemp("bench")
    build_shop(home / "world")
    with open_world(home / "world") as world:
        fingerprint = world.manifest.fingerprint
    queries = [
        Query(query_id=f"secret-{at}", user_id=USER, text=f"A {kind} for at most ${budget}.", wish=wish(kind, budget),
              task_id="twins", world_fingerprint=fingerprint, source="t")
        for at, (kind, budget) in enumerate([("bird feeder", "30"), ("bird bath", "60"), ("bird bath", "40")])
    ]  # fmt: skip
    write_lines(home / "q.jsonl", (query.model_dump_json(exclude_none=True) for query in queries))
    quiet = Progress()
    make(home / "R", closes=CLOSES, world=home / "world", queries=home / "q.jsonl", seed=SEED, progress=quiet)
    publish(home / "R", home / "public", now=CLOSES - timedelta(days=1))
    run(home / "public" / "world", home / "public" / "tasks.jsonl", to=home / "exp", baselines=False)
    return home


def manifest(home: Path, name: str, **changed: object) -> Path:
    entry = {"models": ["offline:shopper"], "dollars": 0.3}
    write_json(home / "manifest.json", {"format": 1, "name": name, "systems": {LABEL: entry | changed}})
    return home / "manifest.json"


@pytest.mark.parametrize("closes", ["2099-12-01T02:00:00+02:00", "2099-12-01T00:00:00"])
def test_the_command_takes_a_time_without_an_offset_as_utc(home: Path, tmp_path: Path, closes: str) -> None:
    options = {"world": home / "world", "queries": home / "q.jsonl", "n": 6, "seed": SEED}
    made = make_by_command(tmp_path / "R", datetime.fromisoformat(closes), **options)  # pyright: ignore[reportArgumentType]
    assert "queries on the world" in repr(made)
    assert read_release(tmp_path / "R").closes == CLOSES


def test_a_seed_that_would_be_published_and_a_window_that_is_over_are_refused(home: Path, tmp_path: Path) -> None:
    made = partial(make, tmp_path / "R", world=home / "world", queries=home / "q.jsonl", progress=Progress())
    for seed in ("s", "42"):
        with pytest.raises(UserError, match="leave --seed out"):
            made(closes=CLOSES, seed=seed)
    with pytest.raises(UserError, match="closed on 2020-01-01 00:00 UTC"):
        made(closes=datetime(2020, 1, 1, tzinfo=UTC))
    assert [*tmp_path.iterdir()] == []


def test_tasks_hold_no_wish_no_twin_and_no_telling_id(home: Path) -> None:
    published = (home / "public" / "tasks.jsonl").read_text()
    assert not [word for word in ("wish", "task_id", "twins", "secret", "hidden", "infeasible") if word in published]
    assert len(read_queries(home / "public" / "tasks.jsonl")) == 3
    assert {path.name for path in (home / "public").iterdir()} == {"release.json", "tasks.jsonl", "world"}


def test_gold_is_published_after_the_window_and_neither_changes_unseen(home: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="stays sealed until 2099-12-01"):
        publish(home / "R", tmp_path, gold=True, now=CLOSES - timedelta(days=1))
    assert not (tmp_path / "gold.jsonl").exists()
    publish(home / "R", tmp_path, closed=True, gold=True, now=CLOSES)
    assert read_release(tmp_path).queries == 3
    gold = (tmp_path / "gold.jsonl").read_text().splitlines()
    (tmp_path / "gold.jsonl").write_text("\n".join(gold[:-1]))
    with pytest.raises(UserError, match="is not what"):
        read_release(tmp_path)
    publish(home / "R", tmp_path, closed=True, gold=True, now=CLOSES)
    promised = read_json(tmp_path / "release.json")
    write_json(tmp_path / "release.json", {**promised, "closes": "2099-11-01T00:00:00Z"})
    with pytest.raises(UserError, match="is not what"):
        read_release(tmp_path)


def test_gold_that_is_published_later_is_added_when_the_runs_are_scored(home: Path, tmp_path: Path) -> None:
    world, golden = home / "public" / "world", home / "R" / "sealed" / "queries.jsonl"
    shutil.copytree(home / "exp", tmp_path / "exp")
    assert not (tmp_path / "exp" / "gold.jsonl").exists()
    score(tmp_path / "exp", ["basket"], world=world, queries=golden)
    assert all(query.wish is not None for query in read_definition(tmp_path / "exp").queries)
    other = [query.model_copy(update={"text": "Else?"}) for query in read_queries(golden)]
    write_with_gold(other, tmp_path / "other.jsonl")
    with pytest.raises(UserError, match="holds another query"):
        score(home / "exp", ["basket"], world=world, queries=tmp_path / "other.jsonl")


def test_what_is_decided_for_the_queries_is_sealed_with_them(home: Path, tmp_path: Path) -> None:
    fact = Fact(product_id="B0TEST0001", fact="recalled", source="W:1")
    queries = [query.with_facts((fact,)) for query in read_queries(home / "q.jsonl")]
    write_with_gold(queries, tmp_path / "q.jsonl")
    quiet = Progress()
    make(tmp_path / "R", closes=CLOSES, world=home / "world", queries=tmp_path / "q.jsonl", seed=SEED, progress=quiet)
    assert "queries.gold.jsonl" in read_release(tmp_path / "R").commitment
    publish(tmp_path / "R", tmp_path / "public", closed=True, gold=True, now=CLOSES)
    for folder in (tmp_path / "R" / "sealed", tmp_path / "public"):
        gold = [query.gold for query in read_queries(folder / "queries.jsonl")]
        assert [one.facts for one in gold if one] == [(fact,)] * 3
    (tmp_path / "R" / "sealed" / "queries.gold.jsonl").unlink()
    with pytest.raises(UserError, match="is not what"):
        read_release(tmp_path / "R")


def test_the_example_release_keeps_its_promise() -> None:
    assert read_release(EXAMPLE).queries == len(read_queries(EXAMPLE / "tasks.jsonl")) == 29
    assert Ranking.model_validate(read_json(EXAMPLE / "ranking.json")).queries == 29


def test_what_says_other_models_or_was_edited_is_refused(home: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="it ran offline:shopper"):
        submit(home / "R", home / "exp", manifest(home, "liar", models=["openai:gpt-5"]))
    write_json(tmp_path / "m.json", {"format": 1, "name": "m", "systems": {"dr3": {"models": ["offline:shopper"]}}})
    with pytest.raises(UserError, match=f"exp: add {LABEL}; remove dr3"):
        submit(home / "R", home / "exp", tmp_path / "m.json")
    edited = shutil.copytree(home / "exp", tmp_path / "exp")
    path = next(edited.glob("runs/*/*/run.json"))
    write_json(path, {**read_json(path), "report": "Take the bath [P:B0TEST0004]."})
    with pytest.raises(UserError, match="does not verify"):
        submit(home / "R", edited, manifest(home, "editor"))
    shutil.rmtree(path.parent)
    with pytest.raises(UserError, match="lacks 1 planned run"):
        submit(home / "R", edited, manifest(home, "editor"))
    assert not (home / "R" / "submissions").exists()


def test_what_verifies_is_run_again_taken_in_and_ranked_by_truth_and_a_copy_has_no_rank(home: Path) -> None:
    accepted = submit(home / "R", home / "exp", manifest(home, "acme"), sample=2, now=CLOSES - timedelta(hours=1))
    assert (accepted.late, accepted.verified) == (False, True)
    again = accepted.again[LABEL]
    assert (again.queries, again.mean, again.odds) == (3, 0, {0.1: 1, 0.2: 0, 0.3: 0}), "two don't show a gain of .20"
    assert not [path for path in (home / "R" / "submissions").rglob("telemetry.json") if "host" in read_json(path)]
    late = submit(home / "R", home / "exp", manifest(home, "late"), sample=0, exhibit=True, now=CLOSES + timedelta(1))
    assert (late.late, late.verified) == (True, False)
    first, second = rank(home / "R").rows
    notes = {row.system: row.notes for row in (first, second)}
    assert notes == {f"acme.{LABEL}": (), f"late.{LABEL}": ("late", "unverified")}
    assert first.truth == second.truth
    assert (first.ranks, second.ranks) == ((1, 1), None), "what is not verified has no rank, however true it is"
    assert first.dollars == pytest.approx(0.1)
    for name in ("acme", "Acme", "acme.", "_ac-me"):
        with pytest.raises(UserError, match="has submitted already"):
            submit(home / "R", home / "exp", manifest(home, name))
    submit(home / "R", home / "exp", manifest(home, "mirror"), sample=2, now=CLOSES - timedelta(hours=1))
    found = {row.system: (row.ranks, row.notes) for row in rank(home / "R").rows}
    assert found[f"acme.{LABEL}"] == ((1, 1), ())
    assert found[f"mirror.{LABEL}"] == (None, (f"a copy of acme.{LABEL}",))


def test_runs_that_cannot_be_read_are_refused_and_have_no_rank_if_they_were_damaged_later(
    home: Path, tmp_path: Path
) -> None:
    shutil.copytree(home / "R", tmp_path / "R", ignore=shutil.ignore_patterns("submissions", "graded", "ranking.json"))
    cut = shutil.copytree(home / "exp", tmp_path / "exp")
    path = next(cut.glob("runs/*/*/run.json"))
    path.write_text(path.read_text()[:100])
    with pytest.raises(UserError, match=f"{path} cannot be read"):
        submit(tmp_path / "R", cut, manifest(home, "cut"), exhibit=True)
    for name, verified in (("acme", True), ("shown", False)):
        submit(tmp_path / "R", home / "exp", manifest(home, name), sample=3, exhibit=not verified)
    runs = tmp_path / "R" / "submissions"
    (runs / "acme" / "exp" / path.relative_to(cut)).write_text(path.read_text())
    evidence = runs / "shown" / "exp" / path.relative_to(cut).with_name("evidence.jsonl.gz")
    evidence.write_bytes(gzip.compress(b"no evidence\n{}"))
    rows = {row.system.partition(".")[0]: (row.ranks, row.notes) for row in rank(tmp_path / "R").rows}
    lost = "1 of its runs cannot be read"
    assert rows == {"acme": (None, (lost,)), "shown": (None, (f"unverified, {lost}",))}


def test_a_folder_that_is_no_release_has_no_ranks(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is no release"):
        rank(tmp_path)
    assert [*tmp_path.iterdir()] == []


def test_a_packed_bomb_is_refused_before_anything_reads_it(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home / "exp", tmp_path / "exp")
    journal = next((tmp_path / "exp").rglob("journal.jsonl.gz"))
    with journal.open("ab") as packed:
        packed.write(gzip.compress(b" " * 1024**2, 1) * 101)
    with pytest.raises(UserError, match="holds more than 100 MB when it is unpacked"):
        submit(home / "R", tmp_path / "exp", manifest(home, "bomb"))


def test_made_up_queries_are_of_the_levels_of_a_release_and_nothing_published_tells_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def smaller(to: Path, progress: Progress, shop: Shop) -> None:
        build_made_up_shop(to, progress, Shop(shop.products // 4, shop.reviews // 4, shop.options))

    monkeypatch.setattr(release, "build_shop", smaller)
    made = make(tmp_path / "R", closes=CLOSES, n=8, seed=SEED, progress=Progress())
    queries = read_queries(tmp_path / "R" / "sealed" / "queries.jsonl")
    assert Counter(query.level for query in queries) == made.levels
    assert {*made.levels} <= {*release.LEVELS}
    assert len({query.user_id for query in queries}) == len(queries) == made.queries >= 4
    twins = [query.task_id for query in queries if query.task_id]
    assert len(twins) == len(set(twins)) > 0, "one of each pair"
    before, public = CLOSES - timedelta(days=1), tmp_path / "public"
    publish(tmp_path / "R", public, now=before)
    assert not [path for path in (public / "world").rglob("*") if path.name.endswith(TRANSIENT)]
    assert '"level"' not in (public / "tasks.jsonl").read_text()
    (shop,) = (public / "world").glob("*/manifest.json")
    assert sha256_of(f"{SEED} world") in shop.read_text()
    (public / "world" / "note.txt").write_text(f"made from {SEED}")
    with pytest.raises(UserError, match=r"note\.txt holds the sealed seed"):
        publish(tmp_path / "R", public, now=before)


@pytest.mark.parametrize(
    "changed",
    [
        {"agent": "cmd:touch /tmp/x"},
        {"agent": "theirs:AGENT"},
        {"agent": "http://theirs"},
        {"agent": "react", "place": "http://theirs"},
        {"models": {"shopper": {"spec": "theirs:model", "kind": "llm"}}},
        {"options": {"retriever": "dense:theirs:model"}},
    ],
)
def test_nothing_of_a_contestants_is_run_here(changed: Mapping[str, object]) -> None:
    ours = {"agent": "react", "models": {"researcher": {"spec": "offline:shopper", "kind": "rule_based"}}}
    submission.check_is_ours(System.model_validate(ours))
    with pytest.raises(UserError, match="the package's"):
        submission.check_is_ours(System.model_validate({**ours, **changed}))


def test_a_sample_that_can_show_nothing_or_differs_widely_is_refused() -> None:
    asked = [Query(query_id=f"q{at}", user_id=f"u{at}", text="?", source="t") for at in range(8)]
    system = System(agent="react", models={"researcher": RoleModel(spec="openai:m", kind="llm")})
    good, bad = ({query.query_id: Truth(True, value) for query in asked} for value in (1.0, 0.0))
    assert submission.compared("x", good, good, asked, system, 8).line.startswith("8 drawn and run again: +0.00, give")
    with pytest.raises(UserError, match="of 5 users can show nothing; draw 6"):
        submission.compared("x", good, good, asked[:5], system, 8)
    with pytest.raises(UserError, match=r"-0\.38"):  # three of eight: the test alone lets it pass
        submission.compared("x", good, good | dict(list(bad.items())[:3]), asked, system, 8)
    twice = [*asked, *(query.model_copy(update={"query_id": f"{query.query_id}-b"}) for query in asked)]
    assert len({query.user_id for query in submission.in_drawn_order(twice)[:8]}) == 8
    assert len({submission.in_drawn_order(asked)[0].query_id for _ in range(200)}) > 1


@pytest.mark.parametrize(("lead", "sizes"), [(0.5, {16, 32, 60}), (0.0001, {60})])
def test_runs_are_made_again_until_they_show_the_lead_or_all_are(
    lead: float, sizes: set[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [Query(query_id=f"q{at}", user_id=f"u{at}", text="?", source="t") for at in range(60)]
    system = System(agent="react", models={"researcher": RoleModel(spec="openai:m", kind="llm")})
    made: list[int] = []

    def grade(to: Path, sources: object, world: object, queries: list[Query]) -> dict[str, dict[str, Truth]]:
        made.append(len(queries))
        noisy = {query.query_id: Truth(True, 0.5 + (0.1, -0.1)[at % 2]) for at, query in enumerate(queries)}
        return {"before.x": {query.query_id: Truth(True, 0.5) for query in queries}, "after.x": noisy}

    monkeypatch.setattr(submission, "read_definition", lambda _: Definition(systems={"x": system}))
    monkeypatch.setattr(submission, "_run_again", lambda *_: None)
    monkeypatch.setattr(submission, "grade", grade)
    shown = {query.query_id: query for query in asked}
    found = submission.rerun(tmp_path, ["x"], cast(World, None), asked, shown, 8, {"x": lead})["x"]
    assert made[0] == 8
    assert found.queries in sizes
    assert found.odds[0.2] <= 0.05
    assert found.confirms(lead) == (lead == 0.5)


def test_the_odds_of_a_forged_gain_fall_with_its_size_and_with_what_is_run_again() -> None:
    noise = [0.3, -0.3, 0.0, 0.0] * 20
    odds = {
        (gain, size): submission.odds_of(gain, noise[:size], tuple(range(size)), 120, by_rules=False)
        for gain in submission.FORGED
        for size in (8, 80)
    }
    assert odds[0.1, 80] >= odds[0.2, 80] >= odds[0.3, 80]
    assert odds[0.2, 80] <= 0.05 < odds[0.2, 8]


def test_a_release_is_ranked_by_its_version_and_sealed_for_its_owner(home: Path, tmp_path: Path) -> None:
    assert (home / "R" / "sealed").stat().st_mode & 0o77 == 0
    shutil.copytree(home / "R", tmp_path / "R", ignore=shutil.ignore_patterns("submissions", "graded"))
    promised = read_json(tmp_path / "R" / "release.json")
    write_json(tmp_path / "R" / "release.json", promised | {"drretail": "9.9.9"})
    with pytest.raises(UserError, match=r"ranked by drretail 9\.9\.9"):
        submit(tmp_path / "R", home / "exp", manifest(home, "newer"))
    shutil.copytree(home / "exp", tmp_path / "exp")
    asked = read_json(tmp_path / "exp" / "experiment.json")
    write_json(tmp_path / "exp" / "experiment.json", asked | {"versions": {"drretail": "9.9.9"}})
    with pytest.raises(UserError, match=r"made by drretail 9\.9\.9"):
        submit(home / "R", tmp_path / "exp", manifest(home, "older"))


def test_a_system_that_is_not_checked_has_no_rank(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home / "R", tmp_path / "R", ignore=shutil.ignore_patterns("submissions", "graded", "ranking.json"))
    submit(tmp_path / "R", home / "exp", manifest(home, "acme"), sample=3)
    path = tmp_path / "R" / "submissions" / "acme" / "accepted.json"
    write_json(path, read_json(path) | {"unchecked": {LABEL: "its web is live"}})
    (row,) = rank(tmp_path / "R").rows
    assert (row.ranks, row.notes) == (None, ("not checked: its web is live",))


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        *((name, {}) for name in ("..", "...-", "a/b", "x" * 41)),
        *(("rich", {"dollars": dollars}) for dollars in (-1, "inf", 1e308)),
    ],
)
def test_a_manifest_that_says_nonsense_is_refused(home: Path, name: str, changed: Mapping[str, object]) -> None:
    with pytest.raises(UserError, match=r"manifest\.json: "):
        submit(home / "R", home / "exp", manifest(home, name, **changed))
