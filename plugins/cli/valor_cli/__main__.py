"""``python -m valor_cli``: the command line where no script is on the path."""

from valor_cli import main

if __name__ == "__main__":
    main()
