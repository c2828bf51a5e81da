"""What executes the selection (Algorithm 1), on one machine or on a cluster.

base.py           the seam
duckdb/           DuckDB on one machine
spark.py          Spark on a cluster
spark_session.py  its session, with the Java it needs
spark_lines.py    lines that Spark could not read

The seam, in base.py: an engine is a module with ``select(task: Task) -> Selected``, named in ``base.ENGINES``.

It takes a Task: the plan (its inputs by number, and the categories whose place is their rank), the options, a folder
of its own in which what it leaves is kept until the world is written, how many processes, and the Spark master.
``counts_only`` is a dry run: then ``kept_rows`` and ``orders`` of the result are not read and may be empty folders.

It gives a Selected:

- ``version``: of the engine, for the manifest;
- ``files``: a FileReport for each of ``plan.inputs``, in their order. Bad rows are saved or named by ``lines.py``
  (``save_rows`` for rows the engine could not read, ``save_elements`` for arrays and mappings), so that every engine
  counts alike;
- ``tables``: the rows of the queries in ``selection.ACCOUNTS`` (product_fates, review_fates, category_orders, totals),
  each row a dict by column; ``category`` is a rank in the plan, ``source`` the number of an input;
- ``orders``: a folder of Parquet files with the columns of sql/order_rows.sql, rows in any order;
- ``kept_rows``: a folder of Parquet files with the columns of ``base.KEPT_COLUMNS``: the whole product rows of what
  is kept, taken from files of its own category only, in any order; ``number`` grows with the line within one source;
  what a row saved from a broken line gets follows all others of its source. All fields but the first four are JSON
  texts, NULL or 'null' where the row lacks them; a row whose title is NULL or null is no row.

The tables that an engine loads: ``product_rows`` (source, category, product_id), ``reviews`` (source, user_id,
product_id, milliseconds) and ``parameters`` (one row: seed, since, cap, cap_by, min_interactions, vary_orders,
holdout). ``selection.TABLES`` then follow in their order, each ``CREATE TABLE name AS sql/name.sql``. An engine may
work on parts, as DuckDB does by category, when what it gives is the same. Errors that a person can act on are
UserErrors of one sentence.
"""
