"""Tasks of pages that a search engine finds and a model judges: ``build.FoundBuilder``, ``queries.write_queries``.

asking.py      questions to the model: journalled, paid out of an allowance, asked anew where they failed
keywords.py    what is searched for
pages.py       searched, fetched, cleaned, each once
duplicates.py  pages that say what another one says
labelling.py   what each page is there for
weighing.py    which pages a task can't do without, and whether they are enough
files.py       the user's files
questions.py   a query written backwards from its pages
gold.py        what an answer has to say, the checklist, the rubric
build.py       all of it in a folder
queries.py     the queries of tasks that were built without one
review.py      the four questions on a task
estimate.py    what a build is likely to take
prompts/       what the model is told
"""
