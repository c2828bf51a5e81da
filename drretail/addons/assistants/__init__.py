"""For who runs an assistant in a shop.

options.py  the options of ``forget``
forget.py   ``forget``: an experiment without one user or conversation
"""
