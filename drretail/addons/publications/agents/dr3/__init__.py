"""DR³-Agent (Song et al., DR³-Eval): one loop that writes the report, and two sub-agents that it sends.

agent.py       the main agent's loop, that of its searches, and a question to a file, part by part
user_files.py  the user's own files, and what of them can be read
prompts/       what each role is told
"""
