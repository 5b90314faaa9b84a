"""``python -m evals``: the same as the ``quantcheck`` command."""

from quantcheck import main

if __name__ == "__main__":
    main()
