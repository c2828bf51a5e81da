"""Tasks from pages that a search engine finds and a model judges: ``build.FoundBuilder``, ``queries.write_queries``.

asker.py     questions to the model: journalled, charged to an allowance, retried after failures
keywords.py  the searches for a task
pages.py     the pages found: read, cleaned, without duplicates
labels.py    the label of each page
coverage.py  which pages a task needs, and whether they are enough
files.py     the user's files
gold.py      what an answer has to say, the checklist, the rubric
build.py     builds the whole folder
queries.py   writes queries backwards from the pages of tasks that were built without one
review.py    four questions on whether a task is fit
prompts/     the model's instructions
"""
