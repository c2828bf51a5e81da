"""Two systems on the same queries: what differs, how surely, and what it would take to know. Nothing is judged here."""
