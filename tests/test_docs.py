"""Every Python example of the README and of the site's pages runs: each page's one after the other, in a folder of its
own.

An example that needs a server of one's own begins with ```python no-run: it is only compiled. A page with ```console
is followed: its files are written, its commands run, and what it shows of their output is there. What goes by a name
stands on its page.
"""

import json
import re
import shlex
from collections.abc import Iterable
from pathlib import Path

import pytest

import drretail
from drretail.agents.names import BASELINES, BUILT_IN
from drretail.eval.registry import METRICS, PAIRWISE
from scripts.budget import BUDGET
from scripts.site import pages
from tests.cli.commands import Command
from tests.shop import build_shop

ROOT = Path(__file__).parents[1]
SITE = pages()
ADDONS = any((ROOT / "drretail" / "addons").glob("*/__init__.py"))
"""Not so in a copy of the core alone, whose pages may name those of add-ons."""
FENCE = re.compile(r"^```python(?P<mark>[^\n]*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
PAGE = {"url": "https://mine.example/", "title": "Weighted blankets", "text": "A weighted blanket calms."}


def examples(path: Path) -> list[tuple[int, str, str]]:
    """Line, mark and code of each example."""
    text = path.read_text(encoding="utf-8")
    found = [(match.start("code"), match["mark"].strip(), match["code"]) for match in FENCE.finditer(text)]
    return [(text.count("\n", 0, start), mark, code) for start, mark, code in found]


WRITTEN = [path for path in SITE.values() if path.parent.name != "reference"]
"""Not made from signatures, which stand there as code."""
FILES = [path for path in [ROOT / "README.md", *WRITTEN] if examples(path)]
OF_ADDONS = [path for path in FILES if any("drretail.addons." in code for _, _, code in examples(path))]
"""Their examples need an add-on, and run with the tests of add-ons."""


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("path", [path for path in FILES if path not in OF_ADDONS], ids=name_of)
def test_the_examples_of_the_docs_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_examples(path, tmp_path, monkeypatch)


def run_examples(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    build_shop(tmp_path / "world")
    (tmp_path / "my_pages.jsonl").write_text(f"{json.dumps(PAGE)}\n", encoding="utf-8")
    names: dict[str, object] = {"__name__": "example"}
    for line, mark, code in examples(path):
        compiled = compile("\n" * line + code, str(path), "exec")  # so that a traceback shows the line of the file
        if mark != "no-run":
            exec(compiled, names)


def test_no_command_of_the_docs_loses_a_price_to_the_shell() -> None:
    """In double quotes a shell replaces $3 of "under $30" by nothing."""
    commands = [line for page in PAGES for line in page.read_text(encoding="utf-8").splitlines() if "drretail " in line]
    quoted = [text for line in commands for text in re.findall(r"""'[^']*'|"[^"]*\"""", line)]
    assert [text for text in quoted if re.match(r'"[^"]*\$\d', text)] == []


PRINTED = re.compile(r"^```(?:sh|console)[^\n]*\n(.*?)^```$|^    (.*?)$|`([^`\n]+)`", re.MULTILINE | re.DOTALL)


def test_every_command_of_the_docs_is_one_and_has_the_flags_that_are_printed() -> None:
    text = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    names = re.split(r"^##+ (.+)$", text, flags=re.MULTILINE)[1:]
    flags = {name: {*re.findall(r"--[a-z][\w-]*", text)} for name, text in zip(names[::2], names[1::2], strict=True)}
    wrong: list[str] = []
    for page in [path for path in PAGES if path.parent.name != "reference" and path.name != "CHANGELOG.md"]:
        code = "\n".join("".join(parts) for parts in PRINTED.findall(page.read_text(encoding="utf-8")))
        code = re.sub(r"\s# .*", "", code)  # what is said of a command
        for command in re.findall(r"(?<![\w/-])drretail ([a-z]+(?![\w-])[^|&;…#\n]*)", code.replace("\\\n", " ")):
            name = next((name for name in (" ".join(command.split()[:2]), command.split()[0]) if name in flags), None)
            given = {*re.findall(r"(?<=\s)--[a-z][\w-]*", command)} - {"--json", "--quiet", "--help", "--debug"}
            if name is None or not given <= flags[name]:
                wrong.append(f"{page.relative_to(ROOT)}: drretail {command}")
    assert wrong == []


@pytest.mark.parametrize(
    ("page", "names"),
    [("agents.md", BUILT_IN), ("results.md", BASELINES), ("scores.md", [*METRICS, PAIRWISE])],
    ids=["agents", "baselines", "metrics"],
)
def test_everything_that_goes_by_a_name_is_on_its_page(page: str, names: Iterable[str]) -> None:
    is_on_its_page(page, names)


def is_on_its_page(page: str, names: Iterable[str]) -> None:
    text = SITE[page].read_text(encoding="utf-8")
    missing = [name for name in names if re.search(rf"(?:`|^##+ ){name}\b", text, re.MULTILINE) is None]
    assert missing == [], f"{name_of(SITE[page])} says nothing of them"


PAGES = [*ROOT.glob("*.md"), *SITE.values(), *(ROOT / name / "README.md" for name in ("examples", "benchmarks"))]


def without_blocks(page: Path) -> str:
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def is_missing(page: Path) -> bool:
    return not page.exists() and (ADDONS or "addons" not in page.parts)


def anchors(page: Path) -> set[str]:
    """Of the page's headings, as Git hosts and site builders make them."""
    headings = re.findall(r"^#+ (.+)$", without_blocks(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_contributing_states_the_budget_that_is_counted() -> None:
    package, core, tests, _ = ((limit, goal) for *_, limit, goal in BUDGET)
    text = " ".join((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split())
    for place, begins in enumerate(("On the way there a commit may have", "Version 2.0 has at most")):
        sentence = text[text.index(begins) :].partition(". ")[0]
        assert all(f"{counted[place]:,}" in sentence for counted in (package, core, tests))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_of_a_page_leads_to_a_page_and_its_heading(page: Path) -> None:
    broken: list[str] = []
    text = re.sub(r"`(?=[^`\n]*\]\()[^`\n]*`|^    .*$", "", without_blocks(page), flags=re.MULTILINE)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if "://" in link or link.startswith("mailto:"):
            continue
        if is_missing(target) or (anchor and target.exists() and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


def test_every_page_that_a_docstring_names_is_there() -> None:
    named = {
        page
        for path in (ROOT / "drretail").rglob("*.py")
        for page in re.findall(r"\b(?:docs|drretail/addons)/[\w/-]+\.md", path.read_text(encoding="utf-8"))
    }
    assert [page for page in sorted(named) if is_missing(ROOT / page)] == []


def test_the_reading_path_is_twenty_files_of_the_core() -> None:
    text = (ROOT / "docs" / "reading.md").read_text(encoding="utf-8")
    files = re.findall(r"^\d+\. `([^`]+)`", text, re.MULTILINE)
    assert len(set(files)) == 20
    assert [file for file in files if file.startswith("addons/") or not (ROOT / "drretail" / file).is_file()] == []


def test_every_page_has_its_place_in_the_site() -> None:
    nav = re.findall(r"^ +- (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(name for name in nav if ADDONS or not name.startswith("addons/")) == sorted(SITE)


def test_the_citation_names_the_version_that_is_installed() -> None:
    assert f"version: {drretail.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


FOLLOWED = [path for path in SITE.values() if "\n```console" in path.read_text(encoding="utf-8")]
BLOCK = re.compile(r'^```(?P<kind>\w+)(?: title="(?P<file>[^"]+)")?\n(?P<text>.*?)^```$', re.MULTILINE | re.DOTALL)


def in_one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.slow  # some thirty commands
@pytest.mark.parametrize("path", FOLLOWED, ids=name_of)
def test_what_a_page_shows_of_commands_is_what_they_print(path: Path, tmp_path: Path, drretail: Command) -> None:
    for block in BLOCK.finditer(path.read_text(encoding="utf-8")):
        if block["file"]:
            file = tmp_path / block["file"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block["text"], encoding="utf-8")
        elif block["kind"] == "console":
            for part in re.split(r"^\$ ", block["text"], flags=re.MULTILINE)[1:]:
                command, *shown = part.splitlines()
                name, *arguments = shlex.split(command)
                assert name == "drretail"
                done = drretail(*arguments)
                assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
                printed = in_one_line(done.stdout)
                missing = [line for line in shown if in_one_line(line) not in printed]
                assert not missing, f"{command} does not print {missing}:\n{done.stdout}"
