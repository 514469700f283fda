"""``python -m depo``."""

from depo.cli.main import main

if __name__ == "__main__":
    main()
