"""Checks what works on this machine.

command.py  ``doctor``: its options, and what it prints
machine.py  Python, packages, keys, servers, Java and disks; a model asked for one word
"""
