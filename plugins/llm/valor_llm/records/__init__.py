"""Records: what was found out about a judge, kept in files for later runs."""
