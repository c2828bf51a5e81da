"""Tasks from pages that a search engine finds and a model judges: ``build.FoundBuilder``, ``queries.write_queries``.

asker.py     questions to the model: journalled, paid out of an allowance, asked anew where they failed
keywords.py  what is searched for
pages.py     the pages found: read, cleaned, each once
labels.py    what each page is there for
coverage.py  which pages a task can't do without, and whether they are enough
files.py     the user's files
gold.py      what an answer has to say, the checklist, the rubric
build.py     all of it in a folder
queries.py   the queries of tasks that were built without one, written backwards from their pages
review.py    four questions on whether a task is fit
estimate.py  what a build is likely to take
prompts/     the model's instructions
"""
