"""Queries, questions and conversations read from files, and those that ship: the fifty, the twenty and the market's.
check_made_for: tests/querygen/test_spoil.py.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import pytest

from drretail.data_ingest.demo import build_shop
from drretail.env.offers import Offers
from drretail.env.web.sandbox import cautions
from drretail.env.world import World, world_at
from drretail.errors import UserError
from drretail.progress import Progress
from drretail.querygen.decisions import holds, questions_of
from drretail.querygen.lint import Linter
from drretail.querygen.reading import (
    FIFTY,
    GENERIC,
    MARKET,
    WORLD,
    PlainQuestion,
    queries_from,
    read_queries,
    read_questions,
    shipped_queries,
    with_expected,
)
from drretail.records.query import NEED_KINDS, Query, turns_until
from drretail.records.reading import Pick
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from tests import build
from tests.llm.provider import Provider
from tests.querygen.conftest import call, refused

CLAUDE = "anthropic:claude-sonnet-4-6"
MARKET_WORLD = "a194452c1f87ae0b420765d064544fbd8797ff6d4595607348b9869ff50ab8a5"


def line(query_id: str) -> str:
    return Query(query_id=query_id, text="What would suit me?", source="a test").as_line()


def test_what_is_no_query_is_told_by_its_line(to: Path) -> None:
    for lines, message in (
        ([line("a"), line("b")[:40]], r"queries\.jsonl has a line to mend: line 2: not JSON"),
        (
            [line("a"), "[1]", "{", "", '{"format": 1}', line("a"), line("b")],
            r"has 4 lines to mend: line 2: not a JSON object; line 3: not JSON .*; "
            r"line 5: not a query \(query_id is missing\); line 6: line 1 has the id 'a' already; remove one of them "
            r"or change its query_id\.$",
        ),
        ([line("a"), *["{"] * 12], r"has 12 lines to mend: line 2: .*line 11: [^;]*; … and 2 more\."),
        (["{"] * 12, r"is no file of queries: line 1: not JSON"),
        ([line("a").replace('"format":1', '"format":2')], r"line 1: not a query \(format"),
        (
            [json.dumps({"query_id": "a", "text": "a" * 50_000, "source": "t"})],
            r"line 1: its text has 50,000 characters; at most 10,000 are taken",
        ),
    ):
        to.write_text("\n".join(lines), encoding="utf-8")
        with pytest.raises(UserError, match=message):
            read_queries(to)


@pytest.fixture
def to(tmp_path: Path) -> Path:
    return tmp_path / "queries.jsonl"


def test_a_line_of_somebody_elses_is_left_unless_force_is_given_and_a_folder_is_no_file(world: World, to: Path) -> None:
    to.write_text('{"mine": 1}')
    generate = ("generate", "--to", to, "--user", "ANNA")
    assert "exists, and a line of it would be lost: name another file, or add --force" in refused(world, *generate)
    assert "would be lost" in refused(None, "shipped", "--to", to)
    assert to.read_text() == '{"mine": 1}'
    assert call(world, *generate, "--force").exit_code == 0
    assert len(read_queries(to)) == 1
    for over, *command in ((world, "generate", "--user", "ANNA"), (None, "shipped", "--force")):
        assert f"{to.parent} is a folder: name a file in it" in refused(over, *command, "--to", to.parent)


def test_a_model_is_not_paid_for_what_could_not_be_written(
    world: World, to: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test-0123456789abcdef")
    generate = ("generate", "--to", to, "--user", "ANNA")
    call(world, *generate)
    to.with_name("queries.jsonl.journal.jsonl").touch()
    with Provider() as provider:
        monkeypatch.setenv("DRRETAIL_BASE_URL", provider.url)
        assert f"exists, and {CLAUDE} did not write it" in refused(world, *generate, "--model", CLAUDE)
        assert not provider.seen


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_has_questions_and_perhaps_users(tmp_path: Path, separator: str) -> None:
    file = tmp_path / "q.csv"
    rows = [["note", "User", "Question"], ["x", "ANNA", "Which lamp,\nand why?"], ["", "", "Which desk?"], ["", "", ""]]
    file.write_text("\n".join(separator.join(f'"{cell}"' for cell in row) for row in rows))
    assert read_questions(file) == (PlainQuestion("Which lamp,\nand why?", "ANNA"), PlainQuestion("Which desk?"))


WISH = Wish(wants=(Want(name="lamp", kinds=("desk lamp",), rating_min=4),), budget=Money.of(40))


def test_rows_of_jsonl_may_bring_users_and_wishes(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    row = {"text": "Which lamp?", "user_id": "ANNA", "wish": WISH.model_dump(mode="json")}
    named = [{"id": 17, "question": "Which desk?"}, {"query_id": "Bed 1", "prompt": "Which bed?", "user": "ANNA"}]
    file.write_text("\n\n".join(map(json.dumps, [row, *named])))
    questions = read_questions(file)
    assert questions[0] == PlainQuestion("Which lamp?", "ANNA", WISH)
    assert questions[1:] == (
        PlainQuestion("Which desk?", query_id="17"),
        PlainQuestion("Which bed?", "ANNA", query_id="bed-1"),
    )
    assert [query.query_id for query in queries_from(questions[1:], "q", None)] == ["17", "bed-1"]


def test_queries_may_have_the_usual_other_names(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    rows = [{"query_id": "q1", "question": "Which lamp?"}, {"id": "q2", "text": "Which desk?", "user": "ANNA"}]
    file.write_text("\n".join(map(json.dumps, rows)))
    lamp, desk = read_queries(file)
    assert (lamp.query_id, lamp.text, lamp.mode, lamp.source) == ("q1", "Which lamp?", "generic", "q.jsonl")
    assert (desk.query_id, desk.user_id, desk.mode) == ("q2", "ANNA", "profile_aware")


def test_a_broken_row_is_told_by_its_place(tmp_path: Path) -> None:
    for name, text, message in (
        ("q.csv", 'question,wish\nWhich?,\nWhat?,"{""wants"": [{""name"": ""x""}]}"\n', "row 3.*wants.0.kinds"),
        ("q.jsonl", '{"question": "Which?"}\n{"question": "What?", "wish": {"budget": 3}}', "line 2.*names no wants"),
        ("q.jsonl", '{"question": "Which?"}\n{"question": ', "line 2, is not JSON"),
        ("q.jsonl", '{"wish": null}', "line 1, has no question"),
        ("q.csv", "a,b\n1,2\n", "column 'question'"),
        ("q.txt", 'Which lamp?\n{"question": "Which?"}\n', r"line 2, is JSON, not a question: .* ends in \.jsonl"),
        ("q.txt", "Which?\n" + "long " * 2_001, "line 2, has 10,004 characters; at most 10,000 are taken"),
        ("q.jsonl", '{"turns": [{"role": "assistant", "content": "Hello."}]}', "line 1, has no question"),
        ("q.jsonl", '{"question": "Which \\u001b[31mlamp?"}', "is not plain text"),
        ("q.csv", "id,question\nA 1,Which?\na-1,What?\n", "row 3: another question has the id 'a-1'"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(UserError, match=message):
            queries_from(read_questions(tmp_path / name), name, None)


def test_a_repeated_question_is_asked_once_and_has_one_wish() -> None:
    which = PlainQuestion("Which?", wish=WISH)
    assert len(queries_from([which, which], "q.csv", None)) == 1
    with pytest.raises(UserError, match=r"q\.csv, row 3: .*another wish"):
        queries_from([which, PlainQuestion("Which?", None, Wish(), place="q.csv, row 3")], "q.csv", None)


@pytest.mark.parametrize("name", ["q.jsonl", "q.txt"])
def test_a_line_of_our_own_queries_is_no_text_and_the_command_that_takes_it_is_told(tmp_path: Path, name: str) -> None:
    (query,) = queries_from([PlainQuestion("Which lamp?")], "q.txt", None)
    (tmp_path / name).write_text(query.as_line() + "\n", encoding="utf-8")
    with pytest.raises(UserError, match=f"is a query already: drretail run --queries .*{name}"):
        read_questions(tmp_path / name)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world_at(build_shop(tmp_path_factory.mktemp("demo") / "demo", Progress())) as world:
        yield world


def test_the_demo_world_is_the_one_that_the_queries_were_made_for(demo: World) -> None:
    """A demo world that is changed on purpose takes a new set of queries, under a new name."""
    assert demo.manifest.fingerprint == WORLD
    assert cautions(demo.web, demo.manifest) == []
    assert {query.world_fingerprint for query in shipped_queries()} == {WORLD}


NEEDED = (("profile", "web"), ("profile",), ("web",), ())


def proved_of(query: Query) -> tuple[str, ...]:
    return query.needs.proved if query.needs else ()


def sound(world: World, queries: tuple[Query, ...]) -> list[int]:
    """Of queries without findings that are all decided: how many need what, and how many provably can't be met."""
    checked = Linter(world).check_all(queries)
    assert {each.query.query_id: each.findings for each in checked if each.findings} == {}
    questions = list(questions_of(queries, Offers(world)))
    assert [question.key for question in questions if not question.is_decided] == []
    assert {question.ruling.by.partition(":")[0] for question in questions} == {"field", "model"}
    proofs = Counter(
        (bool(each.query.infeasible), each.reference.proof and each.reference.proof.state) for each in checked
    )
    n = proofs[True, "proved"]
    assert proofs == Counter({(True, "proved"): n, (False, "refuted"): len(queries) - n})
    proved = Counter(proved_of(query) for query in queries if not query.infeasible)
    return [*(proved[needed] for needed in NEEDED), n]


def test_the_fifty_and_the_twenty_are_sound_and_the_fifty_need_what_their_card_says(demo: World) -> None:
    fifty = shipped_queries()
    assert sound(demo, fifty) == [18, 8, 9, 7, 8]
    assert sound(demo, shipped_queries(GENERIC))[-1] == 0
    for source in ("profile", "web"):
        needed = {query.query_id: getattr(query.needs, source).luck for query in fifty if source in proved_of(query)}
        assert fmean(needed.values()) <= 0.2
        assert fmean(needed.get(query.query_id, 1) for query in fifty if not query.infeasible) <= 0.5
    assert sum(bool(query.needs and query.needs.one_search) for query in fifty) <= 0.15 * len(fifty)
    sentences = Counter(part for query in fifty for part in re.split(r"(?<=[.?!])\s+", query.text))
    assert {part: n for part, n in sentences.items() if n > 1} == {}
    assert sum(len(query.wish.wants) >= 3 for query in fifty if query.wish) >= 20
    decisions = [each for query in fifty if query.gold for each in query.gold.decisions]
    assert all(holds(decision, Offers(demo)) for decision in decisions[::20])


def test_no_user_is_in_both_splits_and_each_split_has_every_kind_of_need() -> None:
    for splits, sizes, every in ((FIFTY, (20, 30), 17), (MARKET, (60, 60), 80)):
        asked = [shipped_queries(split) for split in splits]
        users = [{query.user_id for query in split} for split in asked]
        assert tuple(map(len, asked)) == sizes
        assert not users[0] & users[1]
        assert len(users[0] | users[1]) >= every
    assert all({query.kind for query in shipped_queries(split)} == set(NEED_KINDS) for split in FIFTY)


def test_the_command_writes_a_file_that_a_run_can_read(tmp_path: Path) -> None:
    to = tmp_path / "queries.jsonl"
    for flags, count in (([], 20), (["--split", "all", "--force"], 50)):
        document = json.loads(call(None, "shipped", "--to", to, "--json", *flags).stdout)
        queries = read_queries(to)
        assert len(queries) == document["queries"] == count
        assert (document["world_fingerprint"], document["canary"]) == (WORLD, queries[0].source)
        assert document["users"] == len({query.user_id for query in queries})


def test_nothing_is_found_in_any_of_the_market_s_and_each_is_decided(market: World) -> None:
    assert (market.manifest.fingerprint, market.manifest.counts.products) == (MARKET_WORLD, 4_000)
    assert sound(market, shipped_queries(*MARKET)) == [44, 21, 22, 15, 18]


def test_rows_of_one_conversation_follow_one_another(tmp_path: Path) -> None:
    path = tmp_path / "turns.csv"
    path.write_text("conversation,question,user\none,A bib,\none,Two of it,\ntwo,A bib,\none,Two of it,\n")
    queries = queries_from(read_questions(path), "turns.csv", None)
    assert [query.query_id for query in queries] == ["one-1", "one-2", "two-1", "one-3"]
    assert [query.after for query in queries] == [None, "one-1", None, "one-2"]
    assert {key: len(turns) for key, turns in turns_until(queries).items()} == {"one-1": 1, "one-2": 2, "one-3": 3}
    for order in (queries, queries[::-1]):  # an experiment sorts them by id: turn 10 before turn 2
        assert [turn.query_id for turn in turns_until(order)["one-3"]] == ["one-1", "one-2", "one-3"]


def test_a_case_wants_the_products_that_it_names_and_counts_what_has_no_place(tmp_path: Path, demo: World) -> None:
    mustard, sage = "B05QGUF1HR", "B0F7V3Y889"
    cart = [mustard, {"product_id": sage, "quantity": 2}]
    expected = {"cart_contains": cart, "cart_item_count": 3, "never_calls": ["checkout"], "rubric": "says both prices"}
    said = [
        ("user", "Put the mustard bib into my cart."),
        ("assistant", "Done."),
        ("user", "And two of the sage ones."),
    ]
    turns = [{"role": role, "content": text} for role, text in said]
    case = {"id": "bib swap", "state": {"cart": [], "memory": []}, "turns": turns, "expected": expected}
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(case))
    cases = read_questions(path)
    first, second = queries_from(cases, "cases.jsonl", None)
    assert second.after == first.query_id == "bib-swap-1"
    assert with_expected(first, cases[0].expected, demo.store) == (first, ["state.cart", "state.memory"])
    typed, not_typed = with_expected(second, cases[1].expected, demo.store)
    assert not_typed == ["never_calls", "rubric"]
    offers, wish = Offers(demo), build.known(typed.wish)
    for pieces, is_right in (({mustard: 1, sage: 2}, True), ({mustard: 1, sage: 1}, False), ({mustard: 3}, False)):
        picks = [Pick(product=product, quantity=number) for product, number in pieces.items()]
        assert offers.cart(wish, offers.reference(typed), picks).is_feasible is is_right
    assert with_expected(second, {"cart_contains": ["B0UNKNOWN0"]}, demo.store) == (second, ["cart_contains"])


def test_a_turn_follows_one_that_stands_before_it_and_that_no_other_follows(tmp_path: Path) -> None:
    for after, why in (
        (["t-9"], "stands in no line before it"),
        (["t-1", "t-1"], "is followed by another turn already"),
    ):
        turns = [build.query("t-1"), *(build.query(f"t-{n}", after=each) for n, each in enumerate(after, 2))]
        path = tmp_path / "q.jsonl"
        path.write_text("".join(f"{turn.as_line()}\n" for turn in turns))
        with pytest.raises(UserError, match=why):
            read_queries(path)
