"""Gallery of classified items with their images, texts or metadata."""
