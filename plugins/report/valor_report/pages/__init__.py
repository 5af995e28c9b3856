"""Pages: reports as HTML, with plots."""
