"""Downloads of the official raw files, complete or not at all.

transfer.py     one file from one address: resumed, retried, checked
download.py     ``download``: many files at once, from the first host of addresses.toml that has them
"""
