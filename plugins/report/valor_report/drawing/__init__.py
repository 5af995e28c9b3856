"""Drawing of the pictures of galleries."""
