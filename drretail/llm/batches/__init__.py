"""Questions answered through Anthropic's Message Batches: half the price, within a day.

sent.py        which requests were sent in which batch, kept on disk, so that a killed command pays for nothing twice
submission.py  gathers requests of many waiting questions, submits them, and gives every answer to who waits for it
chat_model.py  the chat model that sends through it; it is like any other for who asks it
"""
