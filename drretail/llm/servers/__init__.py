"""What servers of the user's own can and can't do, and how the same is asked of them all the same.

arguments.py       what a request does without if a server refuses it
survey.py          what a server can do: asked once, kept for later commands
small_contexts.py  tools and their results in few words
text_calls.py      tool calls that a model wrote into its text
"""
