"""`drretail ingest` and `drretail world` as a person or a script meets them."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from drretail.cli.worlds.ingest import ingest
from drretail.cli.worlds.world import world_app
from drretail.env.generations import live_generation
from drretail.env.manifest import DATABASE_FILE
from drretail.errors import UserError

MOMENT = 1_600_000_000_000
runner = CliRunner()


@pytest.fixture
def app() -> typer.Typer:
    app = typer.Typer()
    app.command()(ingest)
    app.add_typer(world_app, name="world")
    return app


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    """Two products, of which one has its five reviews, and a bad line."""
    folder = tmp_path / "raw"
    folder.mkdir()
    products = [{"parent_asin": f"B{number}", "title": f"Garden planner {number}"} for number in (1, 2)]
    reviews = [{"user_id": f"A{number}", "parent_asin": "B1", "timestamp": MOMENT + number} for number in range(5)]
    (folder / "meta_Office_Products.jsonl").write_text("\n".join(map(json.dumps, products)))
    (folder / "Office_Products.jsonl").write_text("\n".join(map(json.dumps, reviews)) + '\n{"user_id": "A')
    return folder


def test_ingest_prints_what_was_read_kept_and_dropped(app: typer.Typer, raw: Path, tmp_path: Path) -> None:
    result = runner.invoke(app, ["ingest", str(raw), "--world", str(tmp_path / "w"), "--quiet"])
    assert result.exit_code == 0, result.output
    assert "1 too few interactions" in result.stdout
    assert "1 bad line" in result.stdout
    assert "Office_Products.jsonl, line 6: not JSON" in result.stdout
    assert f"World {tmp_path / 'w'}, fingerprint " in result.stdout
    assert result.stderr == ""


def test_json_is_one_document_and_talk_goes_to_stderr(app: typer.Typer, raw: Path, tmp_path: Path) -> None:
    result = runner.invoke(app, ["ingest", str(raw), "-w", str(tmp_path / "w"), "--json"])
    report = json.loads(result.stdout)
    assert (report["format"], report["products"]["kept"], report["reviews"]["kept"]) == (1, 1, 5)
    assert "reading files" in result.stderr


def test_a_dry_run_prints_the_same_tables_and_writes_nothing(app: typer.Typer, raw: Path, tmp_path: Path) -> None:
    arguments = ["ingest", str(raw), "-w", str(tmp_path / "w"), "-q"]
    dry = runner.invoke(app, [*arguments, "--dry-run"])
    assert not (tmp_path / "w").exists()
    wet = runner.invoke(app, arguments)
    assert dry.stdout.splitlines()[:-1] == wet.stdout.splitlines()[:-1]
    assert dry.stdout.splitlines()[-1] == "Dry run: nothing was written."


def test_every_option_reaches_the_world(app: typer.Typer, raw: Path, tmp_path: Path) -> None:
    options = ["--preset", "paper", "--category", "Books", "--cap", "7", "--cap-by", "interactions"]
    options += ["--min-interactions", "1", "--since", "2020-01-01", "--seed", "9", "--vary-orders"]
    options += ["--profile-pool", "faker:de_DE"]
    world = str(tmp_path / "w")
    assert runner.invoke(app, ["ingest", str(raw), "-w", world, "-q", *options]).exit_code == 0
    manifest = json.loads(runner.invoke(app, ["world", "info", world, "--json"]).stdout)
    assert manifest["parameters"] == {
        "preset": "paper",
        "category": "Books",
        "cap": 7,
        "cap_by": "interactions",
        "min_interactions": 1,
        "vary_orders": True,
        "profile_pool": "faker:de_DE",
    }
    assert (manifest["seed"], manifest["since"]) == ("9", "2020-01-01")


def test_what_the_user_must_fix_is_a_user_error(app: typer.Typer, tmp_path: Path) -> None:
    result = runner.invoke(app, ["ingest", str(tmp_path / "nowhere"), "-w", str(tmp_path / "w")])
    assert isinstance(result.exception, UserError)


def test_info_shows_counts_beside_the_papers(app: typer.Typer, raw: Path, tmp_path: Path) -> None:
    world = str(tmp_path / "w")
    fingerprint = json.loads(runner.invoke(app, ["ingest", str(raw), "-w", world, "--json"]).stdout)["fingerprint"]
    result = runner.invoke(app, ["world", "info", world])
    assert result.exit_code == 0, result.output
    for shown in ("4,300,000", "Office_Products", "100.0 %", fingerprint, "2020-09-14", "meta_Office_Products.jsonl"):
        assert shown in result.stdout


def test_check_says_ok_or_what_is_wrong(app: typer.Typer, raw: Path, tmp_path: Path) -> None:
    world = tmp_path / "w"
    runner.invoke(app, ["ingest", str(raw), "-w", str(world), "-q"])
    whole = runner.invoke(app, ["world", "check", str(world)])
    assert (whole.exit_code, whole.stdout.split()[0]) == (0, "ok")

    with closing(sqlite3.connect(live_generation(world) / DATABASE_FILE)) as db:
        db.execute("UPDATE orders SET quantity = 2")
        db.commit()
    broken = runner.invoke(app, ["world", "check", str(world)])
    assert broken.exit_code == 3
    assert "fingerprint" in broken.stdout
    answer = json.loads(runner.invoke(app, ["world", "check", str(world), "--json"]).stdout)
    assert answer["ok"] is False
    assert {finding["code"] for finding in answer["findings"]} >= {"file_changed", "fingerprint"}


def test_a_folder_that_is_no_world_is_a_user_error(app: typer.Typer, raw: Path) -> None:
    for command in ("info", "check"):
        assert isinstance(runner.invoke(app, ["world", command, str(raw)]).exception, UserError)


def test_workers_and_holdout_reach_the_world(app: typer.Typer, raw: Path, tmp_path: Path) -> None:
    def run(name: str, *options: str) -> dict[str, object]:
        return json.loads(
            runner.invoke(app, ["ingest", str(raw), "-w", str(tmp_path / name), "--json", *options]).stdout
        )

    whole, held = run("w"), run("held", "--holdout", "last", "--workers", "2")
    assert run("two", "--workers", "2")["fingerprint"] == whole["fingerprint"] != held["fingerprint"]
    shown = runner.invoke(app, ["world", "info", str(tmp_path / "held")]).stdout
    assert "holdout last" in shown
