"""``drretail lab``: is the judge any good?

group.py  the group
agree.py  judges against people, and people against each other
plant.py  known errors, and who finds them
exploits.py  reports that deserve nothing, and which metric falls for them
made_reports.py  how reports that the lab made are judged
"""
