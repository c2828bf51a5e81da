"""From raw Amazon Reviews 2023 files to a world (paper App. A.2, Algorithm 1).

ingest.py          ingest(paths, folder, options) -> IngestReport: the order of the steps
plan.py            options, the dataset's categories and presets, which files are read in which category
raw/               raw files and rows: what each holds, how its lines are read, a row as a Product
replacing.py       whether a live world may be replaced
stages.py          finished stages of an ingest on disk, with the hashes of its files
progress_meter.py  the progress of reading, in words
selection.py       Algorithm 1 as the portable SQL of sql/
sql/               the queries, and what differs by engine
engines/           the engines that execute the selection
selected.py        selected products and orders, read back in the order of a world
accounts.py        the report, counted from the engine's tables
report.py          what was read, kept, dropped and why
profile_pool.py    names and addresses drawn with Faker, for users in other languages
download/          the official files
synth/             a made-up shop in the same formats
demo.py            the demo shop
"""
