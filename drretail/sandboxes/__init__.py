"""A sealed web for each query: ``build.build_offline`` makes the folder that ``--web sandbox:FOLDER`` serves.

material.py    what a task is made of, whichever way it was built
facts.py       what is planted about products: each fact once, and what contradicts it
made_pages.py  pages of several kinds around facts and products
counting.py   tokens of a page
sizes.py      which pages stand in which size
folder.py     tasks and what the whole is, as they are written
user_files.py  what the user has lying about, and what is planted there
build.py       all of it in a folder, with the gold
found/         tasks of pages that a search engine finds and a model judges
checking.py    whether a folder is what it says
"""
