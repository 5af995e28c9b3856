"""``python -m valor_core``: the command line where no script is on the path."""

from valor_core.cli import main

if __name__ == "__main__":
    main()
