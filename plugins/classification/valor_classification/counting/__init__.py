"""States of classification: counts, scores and losses by label key."""
