"""Galleries: HTML pages with pictures or texts of the items with the most errors."""
