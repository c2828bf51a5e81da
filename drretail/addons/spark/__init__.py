"""The selection of an ingest on Spark: this machine's cores, or a cluster.

engine.py       ``select``: raw files as lines, what a cluster reads, joins and counts, beside what DuckDB judges
session.py      a Spark session, with the Java it needs, and the line of ``doctor`` on it
log.properties  the settings of Spark's log
sql/            what differs from the portable queries of data_ingest/sql/
"""
