"""``python -m valor_cli``: the command line if the script is not on the path."""

from valor_cli import main

if __name__ == "__main__":
    main()
