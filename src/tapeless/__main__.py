"""`python -m tapeless` is the command line."""

from tapeless.cli import main

if __name__ == "__main__":
    main(prog_name="tapeless")
