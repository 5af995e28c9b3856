"""Program: the command line itself, what commands share, and how it speaks."""
