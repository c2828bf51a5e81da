"""`drretail download` as a person or a script meets it."""

import gzip
import json
from pathlib import Path

from tests.cli.commands import Command
from tests.data_ingest.download.server import Script, serve

FILES = {
    "/raw/meta_categories/meta_Books.jsonl.gz": gzip.compress(b'{"parent_asin": "B1", "title": "x"}\n'),
    "/raw/review_categories/Books.jsonl.gz": gzip.compress(b"{}\n" * 1000),
}


def test_files_of_a_mirror_are_fetched_and_listed(drretail: Command, tmp_path: Path) -> None:
    with serve(Script(FILES)) as server:
        done = drretail("download", "Books", "--to", "raw", "--mirror", server.address, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert [file["name"] for file in report["files"]] == ["meta_Books.jsonl.gz", "Books.jsonl.gz"]
    assert "downloading" in done.stderr
    assert sorted(path.name for path in (tmp_path / "raw").iterdir()) == ["Books.jsonl.gz", "meta_Books.jsonl.gz"]


def test_a_dry_run_prints_the_addresses(drretail: Command, tmp_path: Path) -> None:
    done = drretail("download", "--preset", "paper", "--to", "raw", "--dry-run", "--json")
    assert len(json.loads(done.stdout)["files"]) == 16
    assert not (tmp_path / "raw").exists()


def test_what_cannot_be_had_is_one_sentence(drretail: Command) -> None:
    with serve(Script({})) as server:
        done = drretail("download", "Books", "--to", "raw", "--mirror", server.address, "--quiet")
    assert done.returncode == 2
    assert "answers 404" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Pet_Supplies" in drretail("download", "Pet_Suplies", "--to", "raw").stderr
