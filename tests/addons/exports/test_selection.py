"""Which runs are exported, and rows without the people in them. Also tests addons/assistants/forget.py."""

import json
import re
import shutil
from pathlib import Path

import pytest

from drretail.addons.assistants.forget import forget
from drretail.addons.exports.formats import export_selection
from drretail.addons.exports.selection import Selection, read_where
from drretail.errors import UnknownName, UserError
from drretail.experiments.experiment import path_of, read_definition, read_runs, run_files, run_path
from drretail.experiments.run_file import read_evidence
from drretail.files import write_json
from drretail.records.run import StateChange
from drretail.records.shop import UserProfile
from drretail.reports.citations import find_citations
from drretail.shopping.verify.findings import known_profiles
from tests.addons.exports.conftest import HYBRID, REACT
from tests.run_files import edit_member
from tests.shop import OTHER, USER
from tests.viewer.experiment import rewrite


def ids(selection: Selection) -> list[str]:
    return [chosen.run.run_id for chosen in selection]


def test_floors_and_failed_runs_are_left_out_and_a_system_goes_by_the_beginning_of_its_label(exp: Path) -> None:
    selection = Selection.of(exp)
    assert ids(selection) == [f"{HYBRID}/q1-r1", f"{REACT}/q1-r1", f"{REACT}/q2-r1"]
    assert {reason: fate.count for reason, fate in selection.account.left_out.items()} == {"without a report": 1}
    assert ids(selection) == ids(selection)
    assert (selection.account.n_left_out, selection.account.adds_up) == (1, True)
    assert {each.partition("/")[0] for each in ids(Selection.of(exp, ["react"]))} == {REACT}
    with pytest.raises(UnknownName):
        Selection.of(exp, ["nobody"])


def test_a_run_whose_file_cannot_be_read_is_left_out_of_every_form_and_counted(exp: Path, tmp_path: Path) -> None:
    damaged = shutil.copytree(exp, tmp_path / "exp")
    edit_member(run_path(damaged, REACT, "q1", 1), "run", lambda _: [])
    selection = Selection.of(damaged, redact=True)
    assert f"{REACT}/q1-r1" not in ids(selection)
    fate = selection.account.left_out["its file is damaged"]
    assert (fate.count, fate.first, fate.failed) == (1, f"{REACT}/q1-r1", True)
    assert export_selection(selection, "chat", tmp_path / "out.jsonl").startswith("2 conversations")


def test_a_rule_keeps_runs_whose_report_was_judged_so_and_names_what_was_judged(exp: Path) -> None:
    values = {
        chosen.run.run_id: got.value
        for chosen in Selection.of(exp)
        for got in chosen.got
        if got.variant == "N_cited" and got.value is not None
    }
    best = max(values.values())
    kept = Selection.of(exp, rules=[read_where(f"N_cited >= {best}")])
    assert ids(kept) == [each for each, value in values.items() if value >= best]
    assert f"not N_cited >= {best}" in kept.account.left_out
    assert ids(Selection.of(exp, rules=[read_where(f"faithfulness N_cited>={best}")])) == ids(kept)
    with pytest.raises(UnknownName, match="FP"):
        Selection.of(exp, rules=[read_where("FPP > 0.1")])


def test_nothing_is_replaced_unasked_and_what_a_form_cannot_write_is_refused(exp: Path, tmp_path: Path) -> None:
    to = tmp_path / "chat.jsonl"
    export_selection(Selection.of(exp), "chat", to)
    held = to.read_bytes()
    with pytest.raises(UserError, match="--force"):
        export_selection(Selection.of(exp), "chat", to)
    none = Selection.of(exp, rules=[read_where("FP > 1")])
    with pytest.raises(UserError, match=r"left to export: not FP > 1 \(3, .*without a report \(1"):
        export_selection(none, "chat", tmp_path / "none")
    assert not (tmp_path / "none").exists()
    export_selection(Selection.of(exp), "chat", to, force=True)
    assert to.read_bytes() == held
    with pytest.raises(UnknownName, match="chat"):
        export_selection(Selection.of(exp), "chatt", tmp_path / "x")
    with pytest.raises(UserError, match=r"csv is several files: name a folder with --to, such as .*/out\."):
        export_selection(Selection.of(exp), "csv", tmp_path / "out.csv")


PERSONA = "Keeps three cats and a canary.\nSaves for a house by the sea."
MOVED = "77 Chandler Crescent"


def profile_of(exp: Path) -> UserProfile:
    """The acting user's profile, which some run was handed."""
    found = (known_profiles({each.id: each for each in read_evidence(path)}) for path in run_files(exp))
    return next(each[0] for each in found if each)


@pytest.fixture
def telling(exp: Path, tmp_path: Path) -> Path:
    """The experiment with a report that tells all it knows of its user, and a query with a persona."""
    own = Path(shutil.copytree(exp, tmp_path / "exp"))
    who = profile_of(own)
    at = who.address
    for run in [run for run in read_runs(own) if run.system == REACT]:
        report = (
            f"# For {who.first_name}\n\nDear {who.last_name.upper()}, {who.last_name}, {who.first_name}: write to "
            f"{who.email} or {who.phone_number}; we ship to {at.address1}, {at.city}, {at.state} {at.zip} "
            f"[U:profile@{USER}].\nUnlike {OTHER}_2, user {USER} is careful.\n\n{run.report}"
        )
        cited = tuple(find_citations(report, read_evidence(path_of(own, run))))
        diff = StateChange(user_id=USER, field="address1", before=at.address1, after={"address1": MOVED})
        moved = f"{report}\nMoved to {MOVED}. {PERSONA.replace(chr(10), ' ')}\n"
        rewrite(own, run.model_copy(update={"report": moved, "citations": cited, "state_diff": (diff,)}))
    path = own / "experiment.json"
    held = json.loads(path.read_text(encoding="utf-8"))
    for query in held["queries"]:
        text = {"context": f"{who.first_name} bought a bath.", "rationale": f"{USER} likes birds."}
        query |= {"persona": PERSONA, "user_id": USER if query["query_id"] == "q1" else OTHER, **text}
    write_json(path, held)
    return own


def texts(folder: Path) -> dict[str, str]:
    """All that stands in a folder."""
    return {path.name: path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file()}


def exported(selection: Selection, to: Path) -> Path:
    """The conversations and the tables of a selection, in a folder."""
    export_selection(selection, "chat", to / "chat.jsonl")
    export_selection(selection, "csv", to / "tables")
    return to


def test_no_user_id_and_no_name_is_left_in_a_redacted_export(telling: Path, tmp_path: Path) -> None:
    who = profile_of(telling)
    exported(Selection.of(telling), tmp_path / "plain")
    exported(Selection.of(telling, redact=True), tmp_path / "d")
    at = who.address
    secret = [USER, OTHER, who.email, who.phone_number, who.first_name, who.last_name, at.address1, at.city, at.zip]
    secret += [MOVED, *PERSONA.splitlines()]
    plain = " ".join(texts(tmp_path / "plain").values())
    for each in secret:
        spelt = re.compile(rf"(?<![A-Za-z0-9]){re.escape(each)}(?![A-Za-z0-9])", re.IGNORECASE)
        assert spelt.search(plain), "it was there"
        for name, text in texts(tmp_path / "d").items():
            assert not spelt.search(text), (each, name)
    conversations = texts(tmp_path / "d")["chat.jsonl"]
    assert "user user_0001 is careful" in conversations, "a pseudonym is the same in every run"
    assert "Unlike user_0002_2" in conversations


def test_a_user_is_forgotten_with_profile_and_votes(telling: Path) -> None:
    kept = [query.query_id for query in read_definition(telling).queries if query.user_id != USER]
    gone = forget(telling, user=USER).value
    assert {"q1", "q2"} >= {*gone.queries} >= {"q1"}
    assert [query.query_id for query in read_definition(telling).queries] == kept
    assert not any(path.stem == USER for path in telling.rglob("*"))
    assert {run.query_id for run in read_runs(telling)}.isdisjoint(gone.queries)
    for path in telling.rglob("*.json"):
        assert USER not in path.read_text() or str(path.relative_to(telling)) in gone.still_named
