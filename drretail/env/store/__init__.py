"""The shop's records by id: ``base.Store`` is the contract, the other files implement it.

base.py    the contract
sqlite.py  the store in one SQLite file, and its writer
mongo.py   the store in MongoDB; records as documents, and back
"""
