"""What of drretail works on this machine, what does not, what that prevents, and the command that mends it.

checkup.py     the shape of one finding, and all examinations in order
machine.py     Python, the room on the disks, Java
packages.py    what is installed, by what it is needed for
providers.py   which providers' keys are present (never which), and models that were asked for
"""
