"""``drretail demo`` on the command line. Tests api/demo.py, api/demo_recording.py and
data_ingest/demo.py (check_is_demo).
"""

import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from drretail.addons.reproduction.verify import verify
from drretail.api.demo_recording import SCRIPT, play_answers, play_judge, recorded_queries
from drretail.api.worlds import open_world
from drretail.env.world import world_at
from drretail.experiments.packs import unpack_below
from drretail.llm.scripted import read_script, requests_of, scripted_model
from drretail.progress import Progress
from tests.build import files
from tests.cli.commands import MAIN, Command, ErrorOf, environment
from tests.viewer.dom import Element, parse

ANEW = "drretail/api/recordings no longer answers what is asked: scripts/record_demo.py records anew"
ASK_EVERYTHING = ("dev-06", "dev-14")
"""One has an answer that is asked for again, the other a false price that is looked at once more."""

ALONE = f"""
import socket, sys
from pathlib import Path
from drretail import plugins

def refuse(*_):
    raise AssertionError("the demo opened a connection")

class Hider:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("drretail.addons."):
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

socket.socket.connect = refuse
sys.meta_path.insert(0, Hider())
plugins.ADDONS = Path("no add-ons")
{MAIN}
"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Path]:
    """What the command printed where there are no add-ons, keys and network, and the folder that it made."""
    where = tmp_path_factory.mktemp("demo")
    command = [sys.executable, "-c", ALONE, "demo"]
    done = subprocess.run(
        command, cwd=where, env=environment(where, COLUMNS="80"), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{ANEW}\n{done.stderr}"  # with 3 it says that runs or verdicts failed
    return done, where / "drretail-demo"


def test_what_the_demo_made_is_what_it_would_make_again(
    shown: tuple[subprocess.CompletedProcess[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one of its questions: the same files in another process, which verify finds to be so."""
    queries = recorded_queries()[:1]
    monkeypatch.setattr("drretail.api.demo_recording.recorded_queries", lambda: queries)
    exp, world = tmp_path / "exp", shown[1] / "world"
    with world_at(world) as shop:
        play_answers(exp, shop, "drretail-demo/world")
        play_judge(exp, shop, Progress())
    found = verify(exp, world)
    assert {check.state for check in found.checks if check.check == "scores"} == {"equal"}
    unpack_below(exp)
    judged = files(exp / "verdicts", journals=False)
    recorded = shutil.copytree(shown[1] / "recorded" / "verdicts", tmp_path / "recorded")
    unpack_below(recorded)
    assert judged.items() <= files(recorded, journals=False).items()


def test_no_prompt_has_changed_since_its_answers_were_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two questions that ask everything: a recorded answer is found by its data, so a changed prompt would play old
    verdicts.
    """
    play, queries = read_script(SCRIPT), [query for query in recorded_queries() if query.query_id in ASK_EVERYTHING]
    model = scripted_model(play=play, name="recorded")
    monkeypatch.setattr("drretail.api.demo_recording.recorded_model", lambda: model)
    monkeypatch.setattr("drretail.api.demo_recording.recorded_queries", lambda: queries)
    with open_world("demo") as shop:
        play_answers(tmp_path / "exp", shop, "drretail-demo/world")
        play_judge(tmp_path / "exp", shop, Progress())
    asked = requests_of(model)
    recorded = [next(rule for rule in play.rules if rule.holds(request)) for request in asked]
    changed = [request.schema for request, rule in zip(asked, recorded, strict=True) if rule.prompt != request.prompt]
    assert not changed, f"asked with other words than were answered: {Counter(changed)}. {ANEW}"
    assert {rule.prompt for rule in play.rules} == {rule.prompt for rule in recorded}


def marks_of(answer: Element) -> list[str]:
    """What is said of what an answer picks and claims."""
    return [mark.text.strip() for mark in answer.all("", "mark")]


def test_the_demo_shows_the_whole_path_and_ten_questions(shown: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    done, demo = shown
    assert {path.name for path in demo.iterdir()} == {"raw", "world", "recorded", "report.md", "report.html"}
    page = (demo / "report.html").read_text(encoding="utf-8")
    assert "two agents (a language model" in page
    assert "judge: recorded language model." in done.stdout
    assert "http://ecommerce.com/" in (demo / "report.md").read_text(encoding="utf-8")
    assert done.stderr.startswith("drretail demo: ")
    assert done.stdout.splitlines()[-1] == str(Path("drretail-demo", "report.html"))
    whole = parse((demo / "report.html").read_text(encoding="utf-8"))
    questions = list(whole.all("details", "question"))
    assert (len({query.user_id for query in recorded_queries()}), len(questions)) == (7, 10)
    (first,) = (question for question in questions if "open" in question.attributes)
    for bought in first.all("article", "answer"):
        for words in ("$43.00", "4.5 ★ (215)", "✗ its record speaks against 'on a ceiling'"):
            assert words in bought.text
    declined = [question for question in questions if "nothing in the shop meets them all" in question.text]
    refusals = [answer.text for question in declined for answer in question.all("article", "answer")]
    assert [text.count("✓ Right: nothing in the shop meets every limit") for text in refusals] == 6 * [1]
    for question in questions:
        behind = "".join(run.text for run in question.all("details", "run"))
        for answer in question.all("article", "answer"):
            said = [mark for mark in marks_of(answer) if mark[0] in "✓✗" and "claim" not in mark]
            assert [mark for mark in said if mark.lstrip("✓✗ ") not in behind] == []
    screen = " ".join(whole.by_id("first").text.split())
    false = "The Quillane costs $75.00.", "The Thistlepan's shell is bamboo viscose, which feels cool to the touch."
    for words in (*false, "'as many servings'", "0.14 on the 5 that need it"):
        assert words in screen
    assert "No difference is shown. The judge preferred hybrid_react-researchers2 7.5 : 2.5." in screen
    assert "What was not used" not in page


def test_a_recording_that_lacks_an_answer_ends_the_demo_with_3(
    drretail: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As after a schema was renamed: the recorded answers are then found by none of its requests."""
    play = read_script(SCRIPT)
    rules = [rule for rule in play.rules if rule.schema_name != "ReportClaims"]
    assert len(rules) < len(play.rules)
    model = scripted_model(play=play.model_copy(update={"rules": tuple(rules)}), name="recorded")
    monkeypatch.setattr("drretail.api.demo_recording.recorded_model", lambda: model)
    monkeypatch.setattr("drretail.api.demo_recording.recorded_queries", lambda: recorded_queries()[:1])
    done = drretail("demo", "--to", "demo")
    assert done.returncode == 3
    assert re.search(r"\d+ runs or verdicts failed: the recording has no answer", " ".join(done.stderr.split()))


def test_the_demo_leaves_a_folder_with_other_files_alone(error_of: ErrorOf, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "report.md").write_text("precious", encoding="utf-8")
    assert "not a demo's" in error_of("demo", "--to", "mine")
    assert files(tmp_path / "mine") == {"report.md": b"precious"}
    assert "is a file" in error_of("demo", "--to", "mine/report.md")
    (tmp_path / "mine" / "report.md").rename(tmp_path / "mine" / "thesis.md")
    (tmp_path / "mine" / "raw").mkdir()
    assert "not a demo's" in error_of("demo", "--to", "mine"), "beside raw files, too"
