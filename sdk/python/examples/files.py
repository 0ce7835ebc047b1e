"""Sends a file to a model, and keeps the file that it returns."""

import sys
from pathlib import Path

from holdfast import Holdfast

with Holdfast() as client:
    run = client.run("image-transform", {"source_image": Path(sys.argv[1]), "width": 64})
    run.output["images"][0].save("small.png")
