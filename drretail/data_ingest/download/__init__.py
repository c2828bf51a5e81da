"""The official raw files, brought here whole or not at all.

addresses.py    hosts and the places of files on them, from addresses.toml
transfer.py     one file from one address: resumed, retried, checked
download.py     ``download``: many files at once, from the first host that has them
"""
