"""An index that another process builds is the one that this process would build."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from drretail.env.catalog import indexing
from drretail.env.catalog.base import CatalogQuery
from drretail.env.catalog.formulation import ENGLISH
from drretail.env.catalog.indexing import IndexBuilder
from drretail.env.catalog.tantivy import TantivyCatalog
from drretail.env.manifest import product_line
from drretail.errors import UserError
from drretail.records.shop import Product


def lines(count: int) -> Iterator[str]:
    for number in range(count):
        title = f"Garden hose {number} ft, {'été' * (number % 3)}"
        yield product_line(Product(product_id=f"B{number:03}", title=title, category="Garden", price=1.0 + number))


def built(folder: Path, count: int) -> list[tuple[str, float | None]]:
    index = IndexBuilder(folder / "index", ENGLISH)
    for line in lines(count):
        index.add(line)
    index.end()
    index.close()
    assert [path.name for path in folder.iterdir()] == ["index"]
    hits = TantivyCatalog(folder / "index", ENGLISH).search(CatalogQuery("hose 30 ft", limit=100)).hits
    return [(hit.product_id, hit.score) for hit in hits]


@pytest.mark.parametrize("cores", [1, 2])
def test_an_index_is_the_same_whoever_builds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cores: int) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "other").mkdir()
    here = built(tmp_path / "here", 50)
    monkeypatch.setattr(indexing, "WORTH_A_PROCESS", 10)
    monkeypatch.setattr(indexing, "cores", lambda: cores)
    assert built(tmp_path / "other", 50) == here
    assert len(here) == 50


def test_an_error_of_another_process_is_raised_and_none_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "WORTH_A_PROCESS", 1)
    monkeypatch.setattr(indexing, "cores", lambda: 2)
    broken = IndexBuilder(tmp_path / "broken", ENGLISH)
    broken.add('"no product"')
    broken.end()
    with pytest.raises(UserError, match="A worker of the ingest ended"):
        broken.close()
    broken.abandon()

    index = IndexBuilder(tmp_path / "index", ENGLISH)
    index.add(next(lines(1)))
    index.abandon()  # returns when the process has ended
    assert not list((tmp_path / "index").glob("*.idx"))
