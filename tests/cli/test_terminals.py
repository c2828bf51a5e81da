"""No command gives a terminal what it would obey, whoever wrote it. Tests entry.py."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from drretail.records.query import Query
from drretail.records.shop import Product
from drretail.viewer.drawing.screen import UNSAFE, escaped, on_screen
from tests.agents.external_agents import command
from tests.build import build_world
from tests.cli.commands import environment
from tests.cli.in_process import run_here
from tests.shop import JANUARY, USER, OrderRow

EVIL = (
    "\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\ \x1b]0;owned\x07 \x1b[13;37H\x1b[2J \x9b31;5m"
    " \u202eturned\u202c \u2067isolated\u2069 \x08\x08\x7f over\rwritten"
)
WORLD, QUERIES = ("--world", "w"), ("--queries", "q.jsonl")
RUN = ("run", *WORLD, *QUERIES, "--no-floors", "--no-pages", "-q")
ASKED_ONCE = {"OPENAI_API_KEY": "none", "DRRETAIL_MODEL_RETRIES": "0"}


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    page = f"<html><title>{EVIL}</title>{EVIL}</html>"
    with HTTPServer() as server:
        server.expect_request(re.compile("/")).respond_with_data(page, 400, content_type="text/html; charset=utf-8")
        yield server.url_for("/v1")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a hostile world, queries, and a run and its scores."""
    folder = tmp_path_factory.mktemp("terminal")
    product = Product(
        product_id="B0TEST0001", title=f"Bird feeder {EVIL}", features=(EVIL,), description=(EVIL,), price=20.0,
        average_rating=4.5, rating_number=9, store=EVIL, categories=("Garden", EVIL), category="Garden",
        details={EVIL: EVIL},
    )  # fmt: skip
    orders = [OrderRow("0000000001", USER, "B0TEST0001", JANUARY)]
    build_world(folder / "w", [product], orders)
    query = Query(query_id="q1", user_id=USER, text=f"Which bird feeder under $30? {EVIL}", source="test")
    (folder / "q.jsonl").write_text(f"{query.as_line()}\n", encoding="utf-8")
    (folder / "raw").mkdir()
    row = {"parent_asin": "B0TEST0001", "title": EVIL, "price": EVIL, "store": EVIL, "categories": [EVIL]}
    (folder / "raw" / "meta_Pet_Supplies.jsonl").write_text(f"{json.dumps(row)}\n{EVIL}\n", encoding="utf-8")
    (folder / "raw" / "Pet_Supplies.jsonl").write_text(f"{json.dumps({EVIL: 1} | row)}\n")
    for arguments in (
        (*RUN, "--agent", "react", "--agent", "plan_to_function", "--to", "exp"),
        ("score", "exp", *WORLD, "--metrics", "checks", "-q"),
    ):
        ended = run_here(arguments, folder, environment(folder))
        assert ended.returncode == 0, ended.stderr
    return folder


# One for each way in which a command prints: all of them write to the same guarded streams.
COMMANDS: dict[str, tuple[str, ...]] = {
    "search": ("tools", "product_catalog_search", *WORLD, "--args", '{"query": "bird feeder"}'),
    "wrong category": ("tools", "product_catalog_search", *WORLD, "--args", '{"query": "a", "category": "Gardn"}'),
    "ask as JSON": ("ask", f"Which bird feeder? {EVIL}", *WORLD, "--json"),
    "run an agent that ends badly": (*RUN, "--agent", "AGENT", "--to", "bad", "--retry", "failed"),
    "run a provider's error page": (*RUN, "--agent", "react", "--model", "openai:x", "--base-url", "URL", "--to", "no"),
    "all tables": ("score", "exp", "--details"),
    "compare": ("compare", "exp"),
    "mcp": ("mcp", *WORLD, "--user", EVIL),
    "ingest": ("ingest", "raw/meta_Pet_Supplies.jsonl", "-w", "made", "--min-interactions", "0"),
    "an unknown option": ("report", "exp", f"--no{EVIL}"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_prints_escape_codes(place: Path, provider: str, name: str) -> None:
    agent = "mine=" + command(place, f"sys.stderr.write({EVIL!r}); print({EVIL!r}); sys.exit(7)")
    prints_no_escape_codes(place, *({"AGENT": agent, "URL": provider}.get(word, word) for word in COMMANDS[name]))


def prints_no_escape_codes(place: Path, *arguments: str) -> None:
    ended = run_here(arguments, place, environment(place, **ASKED_ONCE))
    shown = ended.stdout + ended.stderr
    assert "Traceback" not in shown
    assert shown.strip()
    assert set(UNSAFE.findall(shown)) <= {"\r"}


def test_json_says_the_same_without_the_characters() -> None:
    assert escaped('"a\x9b\u202eb"') == '"a\\u009b\\u202eb"'
    assert on_screen("a\tb\nc\r\nd – é 鳥") == "a\tb\nc\r\nd – é 鳥"
    assert on_screen("a\x1b[2J\rb\x9b\u202ec\ud800") == "a\ufffd[2J\ufffdb\ufffd\ufffdc\ufffd"


def test_rich_is_given_a_console_that_cleans() -> None:
    package = Path(__file__).parents[2] / "drretail"
    made = re.compile(r"(?<![\w.])Console\((?!\)?\n?\s*file=StringIO)")
    others = [path.name for path in package.rglob("*.py") if made.search(path.read_text(encoding="utf-8"))]
    assert others == []
