"""The judge: what is asked of a client, how often, and what becomes of it."""
