"""A sealed web for each query: a builder makes the folder that ``--web sandbox:FOLDER`` serves.

material.py    what a task is made of, whichever way it was built
synthetic/     tasks from the catalog, without any model
search_based/  tasks from pages that a search engine finds and a model judges
sizes.py       the tokens of a page, and which pages stand in which size
folder.py      tasks and the whole as they are written, and a copy of those that pass
check.py       whether a folder is what it claims to be
"""
