"""The dialects of assistants' logs, one a file, each with the same functions in a Dialect.

dialect.py        what a dialect is, and the fields that name who asked when
messages.py       {"messages": […]}, a conversation a row
turns.py          a message in each row, of JSONL or CSV
questions.py      a question and its answer in each row, of JSONL or CSV
exchanges.py      a request and its response in two objects of a row or in one, and OpenAI's batches
completions.py    OpenAI's stored completions with their messages
opentelemetry.py  GenAI spans, as SDKs print them or as OTLP sends them
langgraph.py      threads and their states
langsmith.py      runs
langfuse.py       traces and observations
reading.py        the conversations in files, whatever their dialect
"""
