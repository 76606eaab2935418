"""`python -m isotone`."""

from isotone.cli.main import run

__all__: list[str] = []

if __name__ == "__main__":
    run()
