"""Parameters: declared once in a class, fitted and checked, and described for editors."""
