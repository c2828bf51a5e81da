from pathlib import Path

from drretail.api.worlds import open_world
from drretail.env.web.sealed import read_labels, read_pages, task_folder
from drretail.files import write_lines
from drretail.querygen.shipped import shipped_queries
from drretail.sandboxes.build import build_offline
from drretail.sandboxes.checking import check_sandbox

QUERIES = shipped_queries("dev")[:2]


def built(to: Path) -> Path:
    with open_world("demo") as world:
        build_offline(world, QUERIES, to, {"16k": 16000, "32k": 32000}, "7")
    return to


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    one, two = built(tmp_path / "one"), built(tmp_path / "two")
    files = sorted(it.relative_to(one) for it in one.rglob("*") if it.is_file())
    assert len(files) > 10
    assert [(one / it).read_bytes() for it in files] == [(two / it).read_bytes() for it in files]


def test_it_passes_its_check_until_a_page_that_is_needed_is_gone(tmp_path: Path) -> None:
    folder = built(tmp_path / "s")
    assert check_sandbox(folder) == {it.query_id: [] for it in QUERIES}
    task = task_folder(folder, QUERIES[0].query_id)
    needed = next(it.url for it in read_labels(task) if it.label == "supportive")
    kept = [it.model_dump_json(by_alias=True) for it in read_pages(task) if it.url != needed]
    write_lines(task / "pages.jsonl.gz", kept)
    assert any("0 places" in it for it in check_sandbox(folder)[QUERIES[0].query_id])
