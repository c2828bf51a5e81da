"""What a run changes, told without asking the world again."""

from dataclasses import replace
from itertools import permutations
from unittest.mock import Mock

import pytest

from drretail.env.session import EvidenceCollision, EvidenceLedger, Session, SessionSettings
from drretail.env.world import World
from drretail.errors import ToolError
from drretail.records.evidence import Evidence, Source
from drretail.records.run import StateChange


def a_source(**change: object) -> Source:
    fields = {"id": "P:B1", "kind": "product", "key": "B1", "title": "Feeder", "form": "card", "text": "{}"}
    return Source.model_validate(fields | change)


def test_evidence_keeps_each_text_once_with_the_step_that_brought_it_and_as_shown_if_it_ever_was() -> None:
    ledger = EvidenceLedger()
    assert ledger.add([a_source(), a_source(form="record", text="{1}", shown=False)], "0", 1) == ("P:B1",)
    ledger.add([a_source()], "0", 5)
    (entry,) = ledger.evidence()
    assert [(text.form, text.shown, text.seq) for text in entry.texts] == [("card", True, 1), ("record", False, 1)]
    assert [text.text for text in entry.sources] == ["{1}"]
    for shown in (True, False):
        ledger.add([a_source(form="record", text="{1}", shown=shown)], "0", 6)
        assert ledger.evidence()[0].texts[1].shown


def test_a_page_keeps_its_first_known_date_and_one_id_for_two_pages_is_an_error() -> None:
    ledger = EvidenceLedger()
    page = {"id": "W:aaaaaaaa", "kind": "web"}
    for day in (None, "2023-04-05", "2024-01-01"):
        ledger.add([a_source(**page, date=day, text=str(day))], "0", 0)
    assert ledger.evidence()[0].date == "2023-04-05"
    with pytest.raises(EvidenceCollision, match=r"https://b\.example"):
        ledger.add([a_source(**page, key="https://b.example")], "0", 1)


def test_evidence_is_the_same_whichever_researcher_comes_first() -> None:
    steps = [
        ("0.1", 0, [a_source(id="P:B1", key="B1"), a_source(id="P:B2", key="B2", text="{2}")]),
        ("0.2", 0, [a_source(id="P:B2", key="B2", text="{2}"), a_source(id="P:B3", key="B3")]),
        ("0.10", 0, [a_source(id="P:B3", key="B3", text="{3}"), a_source(id="P:B1", key="B1")]),
    ]
    seen: list[tuple[Evidence, ...]] = []
    for order in permutations(steps):
        ledger = EvidenceLedger()
        for path, seq, sources in order:
            ledger.add(sources, path, seq)
        seen.append(ledger.evidence())
    assert all(evidence == seen[0] for evidence in seen)
    assert [entry.id for entry in seen[0]] == ["P:B1", "P:B2", "P:B3"]
    assert [text.path for text in seen[0][2].texts] == ["0.2", "0.10"]


def test_a_step_knows_what_was_sealed_and_what_its_own_path_brought() -> None:
    ledger = EvidenceLedger()
    ledger.add([a_source(id="P:B1", key="B1")], "0.1", 0)
    ledger.add([a_source(id="P:B2", key="B2")], "0.2", 0)
    ledger.seal()
    ledger.add([a_source(id="P:B3", key="B3")], "0.3", 0)
    ledger.add([a_source(id="P:B4", key="B4")], "0.4", 0)
    assert [entry.id for entry in ledger.known_at("0.4")] == ["P:B1", "P:B2", "P:B4"]
    assert [entry.id for entry in ledger.known_at("0.30")] == ["P:B1", "P:B2"]
    assert [entry.id for entry in EvidenceLedger().known_at("0")] == []


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_page_that_could_be_read_once_is_readable_whoever_came_first(order: tuple[int, ...]) -> None:
    steps = [
        a_source(id="W:aaaaaaaa", kind="web", form="snippet", state="blocked", problem="Robots."),
        a_source(id="W:aaaaaaaa", kind="web", form="snippet", state="error", problem="Late."),
        a_source(id="W:aaaaaaaa", kind="web", form="page", text="All."),
    ]
    ledger, without = EvidenceLedger(), EvidenceLedger()
    for number in order:
        ledger.add([steps[number]], "0", number)
        without.add([steps[number]] if number < 2 else [], "0", number)
    (entry,), (unread,) = ledger.evidence(), without.evidence()
    assert (entry.state, entry.problem) == ("ok", None)
    assert (unread.state, unread.problem) == ("blocked", "Robots.")


def test_changes_are_told_without_the_world_and_an_update_that_it_cannot_answer_leaves_nothing(world: World) -> None:
    before = world.store.user("ANNA")
    lost = replace(world, store=Mock(user=Mock(side_effect=ToolError("unavailable", "nobody answers"))))
    session = Session(SessionSettings(lost))
    with pytest.raises(ToolError):
        session.update_user(before)
    assert session.state_diff() == ()

    session = Session(SessionSettings(world))
    session.update_user(before.model_copy(update={"first_name": "Ann"}))
    session.settings = SessionSettings(lost)
    session.update_user(session.user("ANNA").model_copy(update={"first_name": "Anne"}))
    changed = StateChange(user_id="ANNA", field="first_name", before=before.first_name, after="Anne")
    assert session.state_diff() == (changed,)
