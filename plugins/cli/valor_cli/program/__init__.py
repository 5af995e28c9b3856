"""Program: the click group, options shared by commands, and output streams."""
