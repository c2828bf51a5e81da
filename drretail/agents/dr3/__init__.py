"""DR³-Agent (Song et al., DR³-Eval): one loop that reports, and two sub-agents that it sends.

agent.py         the main agent's loop
errands.py       search_sandbox and read_file, and how what they ask for is done in branches of the run
retrieving.py    a loop that searches, refines its queries, and answers with the pages it found
file_reading.py  a question to a file, part by part
prompts/         what each role is told
"""
