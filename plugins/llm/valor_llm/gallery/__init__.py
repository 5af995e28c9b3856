"""Gallery of judged items."""
