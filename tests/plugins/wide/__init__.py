"""A metric that serves several tasks and takes names of its namespace."""
