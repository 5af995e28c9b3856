"""Reading of configs: files, the files they extend, runs, and settings of the command line."""
