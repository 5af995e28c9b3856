"""Gallery: pictures of the worst items, as a page."""
