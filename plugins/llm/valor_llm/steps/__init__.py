"""Questions to a judge, with prompts and schemas of replies."""
