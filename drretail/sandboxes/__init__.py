"""A sealed web for each query: ``build.build_offline`` makes the folder that ``--web sandbox:FOLDER`` serves.

material.py    what a task is made of, whichever way it was built
facts.py       what is planted about products: each fact once, and what contradicts it
made_pages.py  pages of several kinds around facts and products
sizes.py       which pages stand in which size
user_files.py  what the user has lying about, and what is planted there
build.py       all of it in a folder, with the gold
checking.py    whether a folder is what it says
"""
