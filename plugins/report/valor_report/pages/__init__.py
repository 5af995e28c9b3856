"""Reports as HTML pages and plots."""
