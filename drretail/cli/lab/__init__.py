"""``drretail lab``: is the judge any good?

group.py  the group
card.py   judges on claims that people labelled
correct.py  claims to be labelled, and scores as people would give them
agree.py  judges against people, and people against each other
calibrate.py  which version of a judge is nearest to people
failures.py  what low ratings are about
plant.py  known errors, and who finds them
exploits.py  reports that deserve nothing, and which metric falls for them
memory.py  what a model knows of a shop by heart
bias.py  known ways in which judges are biased, measured on one
kept.py  findings, notes and estimates, printed in one way
"""
