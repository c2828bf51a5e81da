"""DuckDB's sessions share nothing but an engine; an engine that is not there is named."""

from pathlib import Path

import pytest

from drretail.data_ingest.engines import base
from drretail.data_ingest.engines.duckdb_reading import close_engine, session
from drretail.errors import UnknownName, UserError
from drretail.plugins import Plugins


def test_a_session_sees_nothing_of_the_one_before(tmp_path: Path) -> None:
    for memory in (200, 300):
        with session(tmp_path, memory) as db:
            db.execute("CREATE TABLE one AS SELECT 1 AS x")
            db.execute("CREATE VIEW two AS FROM one")
            db.execute("CREATE TEMP TABLE three AS FROM one")
            limit = db.execute("SELECT current_setting('memory_limit')").fetchone()
            assert limit is not None
            assert limit[0].startswith(("190", "286")[memory == 300])
    close_engine(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_after_an_error_the_next_session_begins_anew(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="The selection failed"), session(tmp_path, 200) as db:
        db.execute("CREATE TABLE one AS SELECT error('broken')")
    with session(tmp_path, 200) as db:
        assert db.execute("SELECT 1").fetchall() == [(1,)]
    close_engine(tmp_path)


def test_an_engine_that_is_unknown_or_whose_add_on_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "ENGINES", Plugins("engine", base.ENGINES.built_in, "drretail.engines_of_nobody"))
    with pytest.raises(UserError, match=r"--engine spark needs the add-on spark, which is not installed here\.$"):
        base.load_engine("spark")
    with pytest.raises(UnknownName, match="duckdb"):
        base.load_engine("duckdbb")
