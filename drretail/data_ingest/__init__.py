"""From raw Amazon Reviews 2023 files to a world (paper App. A.2, Algorithm 1).

ingest.py       ingest(paths, folder, options) -> IngestReport: the order of the steps
options.py      what a person may choose; report.py what was read, kept, dropped and why
sources.py      which files there are; shapes.py what each holds, by its fields
plan.py         which of them are read, in which category; categories.py the dataset's stems and the presets
loading.py      the files into the engine; lines.py what it could not read: saved or named
elements.py     JSON arrays and mappings, streamed
selection.py    Algorithm 1 as the portable SQL of sql/; engines/ what executes it
products.py     a raw row as a Product; text.py what is cleaned in its texts
accounts.py     the report, counted from the engine's tables
profile_pool.py names and addresses drawn with Faker, for users in other languages
"""
