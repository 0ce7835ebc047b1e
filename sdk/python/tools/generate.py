"""Writes the generated files: the models, from docs/openapi.json, and the synchronous client, from the asynchronous one.

`--check` writes nothing, and fails if one of them is out of date.
"""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

package = Path(__file__).resolve().parents[1] / "src/holdfast"
document = package.parents[3] / "docs/openapi.json"

# What only says how a value is written, or bounds it: a later version may write or bound it otherwise.
bounds = {"pattern", "minimum", "maximum", "exclusiveMinimum", "minLength", "maxLength", "minItems", "maxItems", "example"}
formats = {"uri", "date", "uuid"}

sync_words = [
    (r"\basync def\b", "def"),
    (r"\basync (for|with)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\bAsync(Iterator|Generator|Holdfast)\b", r"\1"),
    (r"\bGenerator\[([\w.]+), None\]", r"Generator[\1, None, None]"),
    (r"\bAwaitable, ", ""),
    (r"\bAwaitable\[([\w.]+)\]", r"\1"),
    (r"\basynccontextmanager\b", "contextmanager"),
    (r"\baclosing\b", "closing"),
    (r"\bhttpx\.AsyncClient\b", "httpx.Client"),
    (r"\b__a(iter|enter|exit)__\b", r"__\1__"),
    (r"\ba(close|read|iter_bytes|next)\b", r"\1"),
    (r"\basynchronous\b", "synchronous"),
]


def lenient(schema: Any) -> Any:
    """A schema that takes what a later version of the service sends: other values of an enum, other bounds."""
    if isinstance(schema, list):
        return [lenient(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {name: lenient(part) for name, part in schema.items() if name not in bounds}
    if kept.get("format") in formats:
        del kept["format"]
    values = kept.get("enum")
    if isinstance(values, list) and len(values) > 1:
        named = {name: kept.pop(name) for name in ("enum", "type") if name in kept}
        kept["anyOf"] = [named, {"type": "string"}]
    return kept


def inlined(schema: Any, free: set[str]) -> Any:
    if isinstance(schema, list):
        return [inlined(part, free) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if str(schema.get("$ref")).removeprefix("#/components/schemas/") in free:
        rest = {name: part for name, part in schema.items() if name != "$ref"}
        return {**rest, "type": "object", "additionalProperties": True}
    return {name: inlined(part, free) for name, part in schema.items()}


def models() -> str:
    api = json.loads(document.read_text())
    schemas = {name: lenient(one) for name, one in api["components"]["schemas"].items()}
    # One class for an execution: lists and events only omit its log and URLs.
    execution = schemas.pop("ExecutionDetails")
    execution["required"] = [name for name in execution["required"] if name not in ("logs", "urls")]
    schemas["Execution"] = execution
    # Objects of any fields are dictionaries, not classes.
    free = {name for name, one in schemas.items() if one.get("type") == "object" and not one.get("properties")}
    schemas = {name: inlined(one, free) for name, one in schemas.items() if name not in free}
    text = json.dumps({**api, "paths": {}, "webhooks": {}, "components": {"schemas": schemas}})
    text = text.replace("schemas/ExecutionDetails", "schemas/Execution")
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "openapi.json"), Path(folder, "models.py")
        source.write_text(text)
        options = [
            "--input", str(source), "--input-file-type", "openapi", "--output", str(target),
            "--output-model-type", "pydantic_v2.BaseModel", "--base-class", "holdfast.base.ApiObject",
            "--target-python-version", "3.10", "--use-standard-collections", "--use-union-operator",
            "--enum-field-as-literal", "all", "--use-schema-description", "--use-field-description",
            "--disable-timestamp", "--use-annotated", "--collapse-root-models", "--use-one-literal-as-default",
            "--output-datetime-class", "AwareDatetime", "--formatters", "builtin",
        ]
        subprocess.run([sys.executable, "-m", "datamodel_code_generator", *options], check=True)
        _, _, rest = target.read_text().partition("from __future__ import annotations\n")
    return f'"""What the API sends and takes. Generated from docs/openapi.json by tools/generate.py."""\n\nfrom __future__ import annotations\n{rest}'


def sync_of(text: str) -> str:
    for pattern, replacement in sync_words:
        text = re.sub(pattern, replacement, text)
    return text


def generated() -> dict[Path, str]:
    files = {package / "models.py": models()}
    for source in sorted((package / "_async").glob("*.py")):
        # The few lines that differ in more than words are written twice.
        if source.name == "runtime.py":
            continue
        note = f"# Generated from _async/{source.name} by tools/generate.py.\n"
        files[package / "_sync" / source.name] = note + sync_of(source.read_text())
    return files


def main() -> int:
    if importlib.util.find_spec("datamodel_code_generator") is None:
        sys.exit(f"{sys.executable} lacks the generator: run pip install -e 'sdk/python[dev]' in the root of the repository.")
    stale = [(path, text) for path, text in generated().items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv:
        for path, _ in stale:
            print(f"{path.relative_to(package.parents[1])} is out of date: run tools/generate.py")
        return 1 if stale else 0
    for path, text in stale:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        print(f"wrote {path.relative_to(package.parents[1])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
