"""Engines that execute the selection (Algorithm 1), on one machine or on a cluster.

base.py            the interface
duckdb.py          DuckDB on one machine: the stages in their order, Algorithm 1 by category, then over all together
duckdb_reading.py  one raw file → its ids, reviews, or rows of kept products; a connection and its memory

The interface, in base.py: an engine is a function ``select(task: SelectionTask) -> Selected``, named in
``base.ENGINES`` or, as that on Spark, by an add-on.

A task has the plan (its inputs go by number, its categories by their position, the rank), the options, a folder for
the engine's files that is kept until the world is written, the number of processes, and the Spark master.
``counts_only`` is a dry run: nobody reads ``kept_rows`` and ``orders`` of the result, which may be empty folders.

A Selected has:

- ``version``: of the engine, for the manifest;
- ``files``: a FileReport for each of ``plan.inputs``, in their order. Bad rows are saved or reported by ``lines.py``
  (``save_rows`` for rows the engine could not read, ``save_elements`` for arrays and mappings), so that every engine
  counts alike;
- ``tables``: the rows of the queries in ``selection.ACCOUNTS`` (product_fates, review_fates, category_orders, totals),
  each row a dict by column; ``category`` is a rank in the plan, ``source`` the number of an input;
- ``orders``: a folder of Parquet files with the rows of sql/orders.sql, in its order by the names of the files;
- ``kept_rows``: a folder of Parquet files with the columns of ``base.Selected``: the whole rows of the kept
  products, in any order, from files of their own category only. Within one source ``number`` grows with the line,
  and rows saved from broken lines have the highest numbers. All fields but the first four are JSON texts, NULL or
  'null' if the row lacks them. A row whose title is NULL or 'null' does not count.

An engine loads the tables ``product_rows`` (source, category, product_id), ``reviews`` (source, user_id, product_id,
milliseconds; order_id, quantity, order_status, which are NULL unless the row is an order; utc_offset, else 0) and
``parameters`` (one row: seed, since, cap, cap_by, min_interactions, vary_orders, keep_gone).
``selection.TABLES`` then follow in their order, each ``CREATE TABLE name AS sql/name.sql``. An engine may work on
parts, as DuckDB does by category, if the result is the same. Errors that a person can act on are UserErrors of one
sentence.
"""
