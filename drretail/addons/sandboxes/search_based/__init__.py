"""Tasks from pages that a search engine finds and a model judges; ``build.FoundBuilder`` makes them.

asker.py    questions to the model: journalled, charged to an allowance, retried after failures
pages.py    the searches for a task, the pages found, cleaned and without duplicates, and the label of each
gold.py     which pages a task needs and whether they are enough; what an answer has to say, the checklist, the rubric
build.py    builds the whole folder
prompts/    the model's instructions
"""
