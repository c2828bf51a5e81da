"""An experiment's folder, and what is written when: the plan before its runs, each effect before its answer is used, a
run when it ends.

experiment.py   the folder: its plan, what it freezes, its lock
journal.py      calls to models and the web, recorded: resume, replay, caching and accounting
run_file.py     a run in one file
packs.py        packed files: members that are read without the others, the files of a folder
query_files.py  the two files of a query set: tasks, and the gold beside them
"""
