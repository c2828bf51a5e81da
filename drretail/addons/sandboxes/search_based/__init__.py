"""Tasks from pages that a search engine finds and a model judges. ``build.FoundBuilder`` and
``queries.write_sandbox_queries`` make them.

asker.py    questions to the model: journalled, charged to an allowance, retried after failures
pages.py    the searches for a task, the pages found, cleaned and without duplicates, and the label of each
gold.py     which pages a task needs and whether they are enough; what an answer has to say, the checklist, the rubric
build.py    builds the whole folder
queries.py  writes queries backwards from the pages of tasks built without one; four questions on whether a task is fit
prompts/    the model's instructions
"""
