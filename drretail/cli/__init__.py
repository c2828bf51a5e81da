"""The command ``drretail``: ``entry.py`` begins and ends it, ``app.py`` puts it together from one file per command.

The commands hold no logic, and import what is heavy inside themselves: ``drretail --help`` stays light.
"""
