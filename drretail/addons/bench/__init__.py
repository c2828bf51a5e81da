"""A sealed benchmark: ``drretail bench`` (drretail/addons/bench/README.md).

options.py     one record for each command
commands.py    ``make``, ``publish``, ``submit`` and ``rank`` by their options, with what they print
release.py     makes a release, commits to its content, and publishes its gold after its window
submission.py  takes run folders in: verifies them, reruns a drawn sample, grades all runs of a release in one
               experiment
ranking.py     ranks by truth with intervals and ranges of ranks; also style among true reports, and cost
"""
