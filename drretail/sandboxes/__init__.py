"""A sealed web for each query: a builder makes the folder that ``--web sandbox:FOLDER`` serves.

material.py    what a task is made of, whichever way it was built
counting.py    tokens of a page
synthetic/     tasks of what the catalog holds, without any model
search_based/  tasks of pages that a search engine finds and a model judges
sizes.py       which pages stand in which size
folder.py      tasks and what the whole is, as they are written
checking.py    whether a folder is what it says
passing.py     a folder of those tasks that are
"""
