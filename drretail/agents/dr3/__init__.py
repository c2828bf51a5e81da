"""DR³-Agent (Song et al., DR³-Eval): one loop that writes the report, and two sub-agents that it sends.

agent.py         the main agent's loop; search_sandbox and read_file, carried out in branches of the run
retrieving.py    a loop that searches, refines its queries, and answers with the pages it found
file_reading.py  a question to a file, part by part
prompts/         what each role is told
"""
