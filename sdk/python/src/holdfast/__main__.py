"""`holdfast-sdk types`: writes the types of the models of your Holdfast."""

from __future__ import annotations

import argparse
import sys

from . import Holdfast, HoldfastError
from .catalogue import module_of


def main() -> int:
    parser = argparse.ArgumentParser(prog="holdfast-sdk", description="Tools of the Holdfast SDK.")
    commands = parser.add_subparsers(dest="command", required=True)
    about = "write a module with the types of your models: holdfast-sdk types > holdfast_models.py"
    types = commands.add_parser("types", help=about, description=about)
    types.add_argument("--url", help="the URL of your Holdfast; default: HOLDFAST_URL")
    arguments = parser.parse_args()
    try:
        with Holdfast(base_url=arguments.url) as client:
            text = module_of(client.models.list(), client.base_url)
    except (HoldfastError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
