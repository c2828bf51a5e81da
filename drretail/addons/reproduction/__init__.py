"""The paper's experiment made again, and whether an experiment's folder holds what its journals give.

options.py    the options of both commands
verify.py     ``verify``: kept hashes, runs replayed from their journals, and scores made again
reproduce.py  ``reproduce``: the paper's experiment, from the estimate to a page of results
"""
