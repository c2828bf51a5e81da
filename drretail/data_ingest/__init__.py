"""From raw Amazon Reviews 2023 files to a world (paper App. A.2, Algorithm 1).

ingest.py     ingest_files(paths, folder, options) -> IngestReport: the order of the steps, and what may be replaced
plan.py       options, categories and presets, which files are read; the report of what was kept and dropped
raw/          raw files and rows: what each holds, how its lines are read, a row as a Product
stages.py     finished stages of an ingest on disk, the threads that make them, and the progress of reading
selection.py  Algorithm 1 as the portable SQL of sql/
sql/          the queries, and what differs by engine
engines/      the engines that execute the selection
selected.py   the report, counted from the engine's tables; products and orders, read back in the order of a world
recipe.py     what can be bought in a made-up shop, and products drawn from it
recipes/      the kinds of goods and their prices
synth.py      write_shop: a made-up shop in the same formats, with every quirk of real files
demo.py       the demo shop
"""
