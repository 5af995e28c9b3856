"""The gallery of judged items: what the judge said of each, and what it was asked about."""
