"""`drretail ingest`, `download` and `world` on the command line. Tests api/shops/ingest.py, api/shops/world.py."""

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from drretail.cli.app import app
from drretail.env.manifest import DATABASE_FILE, live_generation
from drretail.files import read_json
from tests import build
from tests.cli.commands import Command, refused_by
from tests.data_ingest.mirror_server import Script, serve
from tests.data_ingest.raw_rows import START, write_lines
from tests.shop import JANUARY, PRODUCTS, OrderRow


def invoke(*args: str) -> Result:
    return CliRunner().invoke(app, args)


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    """Two products, of which one has its five reviews, and a bad line."""
    products = [{"parent_asin": f"B{number}", "title": f"Garden planner {number}"} for number in (1, 2)]
    reviews = [{"user_id": f"A{number}", "parent_asin": "B1", "timestamp": START + number} for number in range(5)]
    write_lines(tmp_path / "raw" / "meta_Office_Products.jsonl", products)
    return write_lines(tmp_path / "raw" / "Office_Products.jsonl", [*reviews, '{"user_id": "A']).parent


def test_ingest_prints_what_was_read_and_dropped_and_a_dry_run_the_same(raw: Path, tmp_path: Path) -> None:
    arguments = ["ingest", str(raw), "--world", str(tmp_path / "w"), "--quiet"]
    dry = invoke(*arguments, "--dry-run")
    assert not (tmp_path / "w").exists()
    wet = invoke(*arguments)
    assert (wet.exit_code, wet.stderr) == (0, "")
    said = " ".join(wet.stdout.split())
    assert "products, left out: of a product with too few interactions (1, first: B2)." in said
    assert "reviews, left out: not JSON (1, first: Office_Products.jsonl, line 6: Unterminated" in said
    assert f"World {tmp_path / 'w'}, fingerprint " in wet.stdout
    dry_lines, wet_lines = dry.stdout.splitlines(), wet.stdout.splitlines()
    assert [line for line in dry_lines[1:] if line not in wet_lines] == ["Dry run: nothing was written."]
    assert dry_lines[0] == "1 product, 5 users, 5 orders"
    assert wet_lines[0] == "1 product, 5 users, 5 orders; with a price: 0 of 1"
    assert f'Next: drretail ask "Which …?" --world {tmp_path / "w"}' in wet_lines


def test_check_says_ok_or_what_is_wrong(raw: Path, tmp_path: Path) -> None:
    world = tmp_path / "w"
    invoke("ingest", str(raw), "-w", str(world), "-q")
    whole = invoke("world", "check", str(world))
    assert (whole.exit_code, whole.stdout.split()[0]) == (0, "ok")
    with closing(sqlite3.connect(live_generation(world) / DATABASE_FILE)) as db:
        db.execute("UPDATE orders SET quantity = 2")
        db.commit()
    broken = invoke("world", "check", str(world))
    assert broken.exit_code == 3
    assert "fingerprint" in broken.stdout
    assert "drretail ingest … --force" in broken.stderr
    assert "drretail world copy" in broken.stderr
    answer = json.loads(invoke("world", "check", str(world), "--json").stdout)
    assert answer["ok"] is False
    assert {finding["code"] for finding in answer["findings"]} >= {"file_changed", "fingerprint"}


def test_a_copy_accounts_for_every_row(raw: Path, tmp_path: Path) -> None:
    assert invoke("ingest", str(raw), "--world", str(tmp_path / "w")).exit_code == 0
    copied = invoke("world", "copy", str(tmp_path / "w"), str(tmp_path / "again"), "--json")
    document = json.loads(copied.stdout)
    by_unit = {f"{account['unit']}s": account for account in document["accounts"]}
    assert {name: account["came"] for name, account in by_unit.items()} == document["counts"]
    assert all(account["used"] == account["came"] > 0 for account in by_unit.values())


def test_other_rows_ask_for_replace_and_nothing_is_read_until_then(raw: Path, tmp_path: Path) -> None:
    world = tmp_path / "w"
    invoke("ingest", str(raw), "-w", str(world), "-q")
    live = live_generation(world)
    other = tmp_path / "other"
    other.mkdir()
    for path in raw.iterdir():
        (other / path.name).write_text(path.read_text().replace("planner", "hose"))
    (other / "Office_Products.jsonl").write_text("")
    arguments = ["ingest", str(other), "-w", str(world), "-q", "--min-interactions", "0"]
    refused = refused_by(*arguments)
    for part in ("1 product, 5 users, 5 orders", "min interactions 0 instead of 5", "1 file of ", "--force"):
        assert part in refused
    assert (live_generation(world), {path.name for path in world.iterdir()}) == (live, {"CURRENT", live.name})
    replaced = invoke(*arguments, "--force")
    assert replaced.stdout.startswith("2 products, 0 users, 0 orders; with a price: 0 of 2\n")
    assert f"It replaced 1 product, 5 users, 5 orders; with a price: 0 of 1 (fingerprint {live.name[4:]})" in (
        replaced.stdout.replace("\n", " ")
    )
    assert live_generation(world) != live


def test_a_world_that_is_finished_reads_no_file(raw: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ["ingest", str(raw), "-w", str(tmp_path / "w"), "-q"]
    first = invoke(*arguments)
    monkeypatch.setattr("drretail.data_ingest.engines.duckdb.select", lambda _task: pytest.fail("it selects again"))
    monkeypatch.setattr("drretail.data_ingest.stages.sha256_of_file", lambda *_: pytest.fail("it reads a file"))
    second = invoke(*arguments)
    assert second.exit_code == 0, second.exception
    assert second.stdout.splitlines()[:2] == [
        first.stdout.splitlines()[0],
        next(line for line in first.stdout.splitlines() if line.startswith("World")),
    ]
    assert "nothing was read" in second.stdout
    assert json.loads(invoke(*arguments, "--json").stdout)["there_already"] is True


def test_runs_of_hostile_users_stay_in_the_experiment(succeeds: Command, tmp_path: Path) -> None:
    users = sorted(["../../x", "A;B", "A" * 300, "/etc/passwd", "a\nb"])
    orders = [OrderRow(f"000000000{place}", user, "B0TEST0001", JANUARY) for place, user in enumerate(users)]
    build.build_world(tmp_path / "world", PRODUCTS, orders)
    asked = [build.query(f"q{place}", "Which bird feeder under $40?", user_id=user) for place, user in enumerate(users)]
    write_lines(tmp_path / "q.jsonl", [query.as_line() for query in asked])
    there = {*tmp_path.iterdir(), *tmp_path.parent.iterdir()}
    succeeds("run", "--world", "world", "--queries", "q.jsonl", "--to", "exp", "--agent", "react", "--no-floors")
    succeeds("score", "exp", "--world", "world", "--metrics", "checks")
    assert {*tmp_path.iterdir(), *tmp_path.parent.iterdir()} - there <= {tmp_path / "exp", tmp_path / ".cache"}
    assert sorted(read_json(path)["user_id"] for path in (tmp_path / "exp/profiles").iterdir()) == users


FILES = {
    "/raw/meta_categories/meta_Books.jsonl.gz": gzip.compress(b'{"parent_asin": "B1", "title": "x"}\n'),
    "/raw/review_categories/Books.jsonl.gz": gzip.compress(b"{}\n" * 1000),
}


def test_files_of_a_mirror_are_fetched_and_listed(drretail: Command, succeeds: Command, tmp_path: Path) -> None:
    with serve(Script(FILES)) as server:
        done = succeeds("download", "Books", "--to", "raw", "--mirror", server.address, "--json")
        missing = drretail("download", "Pet_Supplies", "--to", "raw", "--mirror", server.address, "--quiet")
    assert (missing.returncode, len(missing.stderr.strip().splitlines())) == (2, 1)
    assert [file["name"] for file in json.loads(done.stdout)["files"]] == ["meta_Books.jsonl.gz", "Books.jsonl.gz"]
    assert "downloading" in done.stderr
    assert sorted(path.name for path in (tmp_path / "raw").iterdir()) == ["Books.jsonl.gz", "meta_Books.jsonl.gz"]
