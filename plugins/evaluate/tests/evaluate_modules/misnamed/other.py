"""Script with another name than its folder."""
