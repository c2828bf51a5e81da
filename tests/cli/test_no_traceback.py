"""Whatever goes wrong, a command ends in one sentence, on pipes and devices too. Tests entry.py."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from drretail.cli.entry import sentence_of
from drretail.errors import NotFound, ToolError
from drretail.experiments.experiment import read_runs
from tests.build import known
from tests.cli.commands import MAIN, MAINS, Command, environment, sentence

ASCII = {"PYTHONIOENCODING": "ascii", "LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def shell(line: str, folder: Path, **given: str) -> subprocess.CompletedProcess[str]:
    """What a line of bash comes to, in which ``$D`` is drretail."""
    line = line.replace("$D", f"{sys.executable} -c '{MAIN}'")
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"],
        cwd=folder,
        env=environment(folder, **given),
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )


def test_debug_anywhere_on_the_line_shows_where_an_error_came_from(drretail: Command) -> None:
    result = sentence(drretail("tools", "nosuch"))
    for arguments in (("--debug", "tools", "nosuch"), ("tools", "nosuch", "--debug")):
        ended = drretail(*arguments)
        assert ended.returncode == 2
        assert "Traceback" in ended.stderr
        assert "registry.py" in ended.stderr
        assert ended.stderr.strip().endswith(result)


@pytest.mark.parametrize(
    ("fault", "code", "told"),
    [
        ("None", 1, "drretail itself failed: TypeError: 'NoneType' object is not callable (tools.py, line "),
        ("lambda *_, **__: 1 / 0", 2, "Your own code failed: ZeroDivisionError: division by zero (boom.py, line 2)."),
    ],
)
def test_a_fault_is_a_sentence_with_its_place_and_whose_it_is(tmp_path: Path, fault: str, code: int, told: str) -> None:
    (tmp_path / "boom.py").write_text(f"import drretail.api.shops.tools as t\nt.table_of = {fault}\n")
    result = sentence(shell(shlex.join([sys.executable, "-c", f"import boom; {MAIN}", "tools"]), tmp_path), code)
    assert told in result
    assert "--debug shows where it came from" in result
    assert ("drretail itself" in result) == (code == 1)


def test_closed_streams_break_nothing(drretail: Command, tmp_path: Path, shop: str) -> None:
    ended = shell(f"$D world check {shop} >&- 2>&- <&-", tmp_path)
    assert ended.stderr == ""
    assert drretail("world", "check", shop).stdout.startswith("ok ")


def test_a_terminal_of_ascii_alone_is_printed_to(tmp_path: Path, shop: str, queries: str) -> None:
    commands = (
        ("world", "info", shop),
        ("tools", "get_product_details", "--world", shop, "--args", '{"product_id":"B0TEST0001"}'),
        ("run", "--help"),
        ("run", "--world", shop, "--queries", queries, "--agent", "react", "--no-floors", "--to", "exp"),
        ("ask", "A café lamp – under $20?", "--world", shop),
        ("report", "exp", "--json"),
    )
    ended = shell(shlex.join([sys.executable, "-c", MAINS, json.dumps(commands)]), tmp_path, **ASCII)
    assert ended.returncode == 0, ended.stderr
    assert "Traceback" not in ended.stderr
    assert ended.stdout.rpartition("\n{\n")[2].isascii()


def test_arguments_that_are_no_text_or_endless_are_one_sentence(drretail: Command, tmp_path: Path, shop: str) -> None:
    assert "not UTF-8" in sentence(shell("$D ask $'\\xff'", tmp_path))
    name = "\x1b[31m" + "x" * 90_000
    for line in (("tools", name), ("tools", "--world", shop, "calculator", "--args", name), ("report", name)):
        ended = drretail(*line)
        assert len(sentence(ended)) < 2500
        assert "\x1b" not in ended.stderr
    assert len(drretail("x" * 90_000).stderr) < 4000


BREAKS = """
def answer(question):
    return looked_up(question)


def looked_up(question):
    raise KeyError("no such shelf")
"""


def test_an_agents_traceback_is_told_by_debug_alone_and_stands_on_the_page(
    drretail: Command, succeeds: Command, shop: str, queries: str, tmp_path: Path
) -> None:
    (tmp_path / "broken.py").write_text(BREAKS, encoding="utf-8")
    asked = ("--queries", queries, "--world", shop, "--no-floors", "--agent", "broken:answer")
    plain = drretail("run", *asked, "--to", "plain")
    told = drretail("run", *asked, "--to", "told", "--debug")
    assert "Traceback (most recent call last)" not in plain.stderr
    assert "Traceback (most recent call last)" in told.stderr
    assert "in looked_up" in told.stderr
    errors = [known(run.error) for run in read_runs(tmp_path / "plain")]
    assert errors
    assert all('File "broken.py", line 7, in looked_up' in (error.traceback or "") for error in errors)
    succeeds("report", "plain", "--to", "page.html")
    pages = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<summary>Traceback</summary>" in pages
    assert "in looked_up" in pages


def test_a_server_that_fails_outside_of_a_tool_is_one_sentence() -> None:
    problem = ToolError("unavailable", "The shop's database (MongoDB at host:1) cannot be reached.")
    sentence = known(sentence_of(problem))
    assert sentence.startswith("The shop's database (MongoDB at host:1) cannot be reached. Run the same command again")
    assert sentence_of(NotFound("product", "B1")) is None, "an id that nobody looked after is a bug of ours"


def test_a_reader_that_goes_away_is_no_bug() -> None:
    command = [sys.executable, "-c", "from drretail.cli.entry import main; main()", "tools"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(60) == 141
