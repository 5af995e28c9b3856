"""Replies: from the text of a model to checked statements, verdicts and ratings."""
