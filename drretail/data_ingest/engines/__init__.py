"""What executes the selection: duckdb.py on one machine."""
