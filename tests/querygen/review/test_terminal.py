"""`drretail queries review` in a real terminal."""

from pathlib import Path

import pytest

from drretail.env.world import World
from drretail.querygen.review.records import read_reviews_of
from drretail.records.query import Query
from tests.querygen.review.terminal import Terminal

DEEP, TOOLS, FITS, NOTE, DECIDE = "research? [y/n]", "answer it? [y/n]", "shopper? [y/n]", "for none)", "[r] reject"
ACCEPT = ((DEEP, "y"), (TOOLS, "y"), (FITS, "y"), (NOTE, ""), (DECIDE, "a"))
EDIT = (*ACCEPT[:-1], (DECIDE, "e"))
Queries = tuple[Query, ...]


def review(file: Path, world: World, reviewer: str, *flags: str, **given: str) -> Terminal:
    command = ("queries", "review", str(file), "--world", str(world.folder), "--reviewer", reviewer, *flags)
    return Terminal(file.parent, *command, **given)


def test_a_person_accepts_edits_with_an_editor_and_rejects(world: World, file: Path, queries: Queries) -> None:
    editor = file.parent / "editor"
    editor.write_text("#!/bin/sh\nsed -i '1s/$/ Thank you kindly./' \"$1\"\n")
    editor.chmod(0o755)
    with review(file, world, "ann", EDITOR=str(editor)) as terminal:
        terminal.answer(*ACCEPT, *EDIT, ("Keep it?", "y"), *ACCEPT[:-1], (DECIDE, "reject"))
        assert terminal.end() == 0
    assert [it.decision for it in read_reviews_of(file)] == ["accept", "edit", "reject"]
    edit = read_reviews_of(file)[1].edit
    assert edit is not None
    assert edit.after.text == f"{queries[1].text} Thank you kindly."
    assert "{+Thank you kindly.+}" in " ".join(terminal.screen.split())
    assert "3 queries: 1 accepted, 1 edited, 1 rejected, 0 undecided, 0 disputed" in " ".join(terminal.screen.split())
    pages = terminal.screen.rpartition("Reviewers")[0].partition("The shopper")[2]
    assert max(len(line) for line in pages.splitlines()) <= 80


def test_without_an_editor_the_line_is_changed_in_place(world: World, file: Path, queries: Queries) -> None:
    with review(file, world, "ann") as terminal:
        terminal.answer(*EDIT, ("> ", " Thanks."), ("> ", ""), ("Keep it?", "y"), (DEEP, "q"))
        assert terminal.end() == 0
    (only,) = read_reviews_of(file)
    assert only.edit is not None
    assert (only.edit.after.text, only.edit.fields) == (f"{queries[0].text} Thanks.", ("text",))


def test_an_editor_that_fails_changes_nothing(world: World, file: Path) -> None:
    with review(file, world, "ann", VISUAL="false") as terminal:
        terminal.answer(*EDIT)
        terminal.wait_for("what it wrote is not taken")
        terminal.wait_for("Nothing was changed.")
        terminal.answer((DECIDE, "r"), (DEEP, "q"))
        assert terminal.end() == 0
    assert [it.decision for it in read_reviews_of(file)] == ["reject"]


def test_what_was_decided_survives_kill_9_and_is_not_asked_again(world: World, file: Path, queries: Queries) -> None:
    with review(file, world, "ann") as terminal:
        terminal.answer(*ACCEPT, (DEEP, "y"))
        terminal.wait_for(TOOLS)
        terminal.kill()
    assert [it.query_id for it in read_reviews_of(file)] == [queries[0].query_id]
    with review(file, world, "ann") as terminal:
        terminal.wait_for(f"{queries[1].query_id} · 1 of 2")
        terminal.answer(*ACCEPT, *ACCEPT)
        assert terminal.end() == 0
    with review(file, world, "ann") as terminal:
        terminal.wait_for("ann has decided on all queries; --again asks anew.")
        assert terminal.end() == 0


def test_ctrl_c_ends_with_130_and_keeps_what_was_decided(world: World, file: Path) -> None:
    with review(file, world, "ann") as terminal:
        terminal.answer(*ACCEPT, (DEEP, "y"))
        terminal.wait_for(TOOLS)
        assert terminal.interrupt() == 130
    assert "Interrupted: the same command goes on from here." in terminal.screen
    assert "Traceback" not in terminal.screen
    assert len(read_reviews_of(file)) == 1


def test_two_reviewers_disagree_and_a_third_person_settles(world: World, file: Path, queries: Queries) -> None:
    for name, last in (("ann", "a"), ("bob", "r")):
        with review(file, world, name) as terminal:
            terminal.answer(*ACCEPT, *ACCEPT[:-1], (DECIDE, last), *ACCEPT)
            assert terminal.end() == 0
    said = " ".join(terminal.screen.split())
    assert "ann, bob decision 3 67% 0.00" in said
    assert "ann, bob takes deep research 3 100% na: both gave all the same answer" in said
    assert f"{queries[1].query_id} decision ann: accept, bob: reject" in said
    with review(file, world, "carl", "--settle") as terminal:
        terminal.wait_for("bob: reject")
        terminal.answer(("The last word", "a"))
        assert terminal.end() == 0
    said = " ".join(terminal.screen.split())
    assert "3 accepted, 0 edited, 0 rejected, 0 undecided, 0 disputed" in said
    assert "ann: accept, bob: reject carl" in said
    assert "ann, bob decision 3 67% 0.00" in said


@pytest.mark.parametrize("spelling", [["check", "--review"], ["review"]])
def test_both_spellings_ask_and_name_the_reviewer(world: World, file: Path, spelling: list[str]) -> None:
    command, *flags = spelling
    given = ("queries", command, str(file), *flags, "--world", str(world.folder))
    with Terminal(file.parent, *given, LOGNAME="dora") as terminal:
        terminal.wait_for("The reviewer is dora.")
        terminal.answer((DEEP, "q"))
        assert terminal.end() == 0
