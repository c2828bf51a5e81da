"""Questions answered through Anthropic's Message Batches: half the price, within a day.

book.py    which requests were sent in which batch, kept on disk, so that a killed command pays for nothing twice
submitter.py    gathers requests of many waiting questions, submits them, and hands every answer to who waits for it
chat.py    the chat model that sends through the submitter; it is like any other for who asks it
"""
