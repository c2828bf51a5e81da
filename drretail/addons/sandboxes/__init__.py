"""A sealed web for each query: a builder makes the folder that ``--web sandbox:FOLDER`` serves.

options.py     one record for each command of ``sandbox``
commands.py    the functions of these commands
synthetic/     tasks from the catalog, without any model
search_based/  tasks from pages that a search engine finds and a model judges
folder.py      the parts of a task, which pages belong to which size; writes tasks and the whole sandbox, copies those
               that pass a check
check.py       what is wrong with a sandbox's folder
"""
