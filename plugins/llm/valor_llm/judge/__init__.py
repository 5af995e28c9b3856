"""The judge: calls of a client, their limits and cost, and checked answers."""
