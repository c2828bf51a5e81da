"""The selection on DuckDB: files are unpacked piece by piece, tables are Parquet files in stages, memory is bounded.

engine.py   ``select``: the stages in their order; Algorithm 1 over one category at a time, then over all together
reading.py  one raw file → its ids, its reviews, or its rows of kept products
session.py  a connection with its share of memory, and its errors in words
"""

from drretail.data_ingest.engines.duckdb.engine import select
from drretail.data_ingest.engines.duckdb.session import engine_errors

__all__ = ["engine_errors", "select"]
