from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from holdfast.catalogue import module_of
from holdfast.models import Model

IMAGES = {
    "type": "object",
    "required": ["images"],
    "properties": {
        "images": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["file_id"],
                "properties": {"file_id": {"type": "string", "format": "file"}, "width": {"type": "integer"}},
            },
        }
    },
}
INPUT = {
    "type": "object",
    "required": ["prompt", "source"],
    "properties": {
        "prompt": {"type": "string", "description": 'What to """draw\\'},
        "source": {"type": "string", "format": "file"},
        "format": {"enum": ["png", "jpeg", "'; import os"]},
        "size": {"anyOf": [{"type": "integer"}, {"const": "auto"}]},
        "seed": {"type": ["integer", "null"]},
        "style": {"type": "object", "properties": {"colour": {"type": "string"}}},
        "anything": {"$ref": "#/$defs/anything"},
    },
}


def model(slug: str, **schemas: object) -> Model:
    return Model.read({"slug": slug, "input_schema": INPUT, "output_schema": IMAGES, **schemas})


USE = """
from pathlib import Path
from holdfast_models import AsyncHoldfast, Holdfast

client = Holdfast(base_url="http://x", api_key="sk_1")
run = client.run("painter-2", {"prompt": "a", "source": Path("a.png"), "format": "png", "size": "auto", "seed": None})
run.output["images"][0].save("x")
client.run("writer", {"prompt": "a", "source": b"", "style": {"colour": "red"}}, timeout=3).execution.id
for delta in (stream := client.stream("writer", {"prompt": "a", "source": b""}, cancel_on_disconnect=True)):
    print(delta, stream.final().output["images"][0].bytes())


async def main() -> None:
    async for delta in AsyncHoldfast().stream("writer", {"prompt": "a", "source": b""}):
        print(delta)
    await (await AsyncHoldfast().run("painter-2", {"prompt": "a", "source": "file_1"})).output["images"][0].bytes()
"""
ERRORS = [
    'client.run("unknown", {"prompt": "a", "source": b""})',
    'client.run("writer", {"prompt": 1, "source": b""})',
    'client.run("writer", {"prompt": "a"})',
    'client.run("writer", {"prompt": "a", "source": b"", "size": "small"})',
    'run.output["sounds"]',
    'client.stream("painter-2", {"prompt": "a", "source": b""})',
]


@pytest.mark.parametrize("count", [1, 2])
def test_a_type_checker_knows_the_models(tmp_path: Path, count: int):
    models = [model("painter-2"), model("writer", stream="text")][:count]
    (tmp_path / "holdfast_models.py").write_text(module_of(models, "http://x"))
    subprocess.run([sys.executable, "-c", "import holdfast_models"], cwd=tmp_path, check=True)
    if count == 1:
        return
    (tmp_path / "use.py").write_text(USE)
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable]
    good = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "0 errors" in good.stdout, good.stdout
    (tmp_path / "use.py").write_text(USE + "\n\n" + "\n".join(f"print({line})" for line in ERRORS))
    bad = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    first = len(USE.splitlines()) + 3
    assert [n for n in range(len(ERRORS)) if f"use.py:{first + n}:" not in bad] == []


def test_a_server_without_models_has_a_module_too(tmp_path: Path):
    (tmp_path / "holdfast_models.py").write_text(module_of([], "http://x"))
    subprocess.run([sys.executable, "-c", "import holdfast_models"], cwd=tmp_path, check=True)
