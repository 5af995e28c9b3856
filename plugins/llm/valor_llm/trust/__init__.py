"""Trust: what is known of a judge's numbers besides their mean."""
