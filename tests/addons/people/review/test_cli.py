"""`drretail queries review` without a terminal: sheets, numbers, and what comes out."""

import csv
import io
import json
from pathlib import Path

import pytest

from drretail.addons.people.review.decisions import read_reviews_of, reviews_path
from drretail.env.world import World
from drretail.files import write_lines
from drretail.querygen.reading import read_queries
from tests.addons.people.review.conftest import QUERIES
from tests.addons.people.review.scripted import reviewed
from tests.querygen.conftest import call, refused


@pytest.fixture
def decided(file: Path) -> Path:
    """ann edits the first query and rejects the second; both agree; on the third they differ."""
    text = f"{QUERIES[0].text} Thanks."
    reviews = [
        reviewed(QUERIES[0], "ann", text=text),
        reviewed(QUERIES[0], "bob", text=text),
        reviewed(QUERIES[1], "ann", "reject"),
        reviewed(QUERIES[2], "ann"),
        reviewed(QUERIES[2], "bob", "reject"),
    ]
    write_lines(reviews_path(file), (review.as_line() for review in reviews))
    return file


def test_it_says_how_far_the_review_is_and_how_to_go_on(world: World, file: Path) -> None:
    result = call(world, "review", file)
    assert result.exit_code == 0
    assert "3 queries: 0 accepted, 0 edited, 0 rejected, 3 undecided" in result.stdout
    assert f"drretail view --review {file}" in result.stderr
    sheet = f"drretail queries review {file} --world {world.folder} --sheet review.csv"
    assert sheet in " ".join(result.stderr.split())
    assert not reviews_path(file).exists()


def test_a_sheet_goes_out_and_comes_back_as_a_spreadsheet_saves_it(world: World, file: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    written = call(world, "review", file, "--sheet", sheet, "--reviewer", "bob")
    assert f"3 queries → {sheet}" in written.stdout
    rows = list(csv.DictReader(io.StringIO(sheet.read_bytes().decode("utf-8-sig"), newline="")))
    for row in (rows[0], rows[2]):
        row |= {"deep_research": "yes", "answerable": "TRUE", "fits_profile": "y", "decision": "accept"}
    rows[2] |= {"decision": "edit", "edited_text": f"{QUERIES[1].text}\nWrite to me@example.com."}
    with sheet.open("w", encoding="utf-8-sig", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]), delimiter=";")
        writer.writeheader()
        writer.writerows(rows)

    taken = call(world, "review", file, "--sheet", sheet)
    assert taken.exit_code == 0
    for note in (": 2, known before", "queries left blank: 1", f"{QUERIES[1].query_id}, as edited: email_in_text"):
        assert note in taken.stderr
    assert [review.reviewer for review in read_reviews_of(file)] == ["bob", "bob"]
    assert [review.decision for review in read_reviews_of(file)] == ["accept", "edit"]
    assert ": 0, known before" in call(world, "review", file, "--sheet", sheet).stderr
    again = call(world, "review", file, "--sheet", tmp_path / "again.csv", "--reviewer", "bob")
    assert "1 query → " in again.stdout
    assert "3 queries → " in call(world, "review", file, "--sheet", tmp_path / "all.csv").stdout


def test_status_and_json_tell_the_numbers(world: World, decided: Path) -> None:
    text = call(world, "review", decided).stdout
    assert "3 queries: 0 accepted, 1 edited, 1 rejected, 1 undecided" in text
    assert f"stay undecided until they decide alike: {QUERIES[2].query_id}" in " ".join(text.split())
    document = json.loads(call(world, "review", decided, "--json").stdout)
    assert (document["format"], document["outcomes"]["undecided"]) == (1, 1)
    ann, bob = document["reviewers"]
    assert (ann["name"], ann["edit_rate"]) == ("ann", pytest.approx(1 / 3))
    assert bob["answers"]["deep_research"] == {"yes": 2, "no": 0}
    assert (document["agreement"][0]["about"], document["agreement"][0]["share"]) == ("decision", 0.5)
    assert document["differing"] == [QUERIES[2].query_id]


def test_reviewed_queries_are_written_and_what_is_undecided_is_left_out_and_told(
    world: World, decided: Path, tmp_path: Path
) -> None:
    before, to = decided.read_bytes(), tmp_path / "out.jsonl"
    result = call(world, "review", decided, "--to", to)
    assert result.exit_code == 3
    assert f"1 undecided are left out: {QUERIES[2].query_id}" in result.stderr
    (edited,) = read_queries(to)
    assert (edited.query_id, edited.text) == (QUERIES[0].query_id, f"{QUERIES[0].text} Thanks.")
    assert decided.read_bytes() == before


def test_apply_changes_the_file_itself_and_the_numbers_stay(world: World, decided: Path) -> None:
    result = call(world, "review", decided, "--to", decided, "--json")
    assert result.exit_code == 3
    assert json.loads(result.stdout)["applied"]["rejected"] == [QUERIES[1].query_id]
    assert [query.query_id for query in read_queries(decided)] == [QUERIES[0].query_id, QUERIES[2].query_id]
    after = json.loads(call(world, "review", decided, "--json").stdout)
    assert (after["stale"], after["outcomes"]["accepted"], after["outcomes"]["undecided"]) == (0, 1, 1)
    assert after["reviewers"] == json.loads(result.stdout)["reviewers"]
    assert "applied" not in after


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--sheet", "s.csv", "--to", "o.jsonl"], "--sheet and --to are two things to do"),
        (["--reviewer", " "], "Say who reviews"),
        (["--to", "out.jsonl"], "there is nothing to write"),
        (["--sheet", "out.xlsx"], "ends in .csv"),
    ],
)
def test_what_cannot_be_done_is_refused(world: World, file: Path, flags: list[str], message: str) -> None:
    assert message in refused(world, "review", file, *flags)


def test_a_broken_line_among_the_reviews_is_named(world: World, decided: Path) -> None:
    lines = reviews_path(decided).read_text().splitlines()
    write_lines(reviews_path(decided), [*lines, '{"format": 1}', lines[0]])
    assert "line 6, is no review" in refused(world, "review", decided)
