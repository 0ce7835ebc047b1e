"""Checks calls of `client` in Python samples by the sources of the SDK, whose dependencies may be missing.

Reads samples as a JSON list from stdin; the argument is the folder of the synchronous client. Prints each wrong call.
"""

import ast
import inspect
import json
import sys
from pathlib import Path

classes = {
    node.name: node
    for file in Path(sys.argv[1]).glob("*.py")
    for node in ast.parse(file.read_text()).body
    if isinstance(node, ast.ClassDef)
}


def type_of_attribute(owner, name):
    """The class whose instance `self.name` is."""
    for node in ast.walk(owner):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == f"self.{name}":
            return classes[ast.unparse(node.value.func)]
    raise TypeError(f"{owner.name} has no {name}")


def signature_of(owner, name):
    for node in owner.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return signature(node.args)
    raise TypeError(f"{owner.name} has no method {name}")


def signature(args):
    kinds = inspect.Parameter
    positional = args.posonlyargs + args.args
    required = len(positional) - len(args.defaults)
    found = [
        kinds(one.arg, kinds.POSITIONAL_OR_KEYWORD, default=kinds.empty if n < required else None)
        for n, one in enumerate(positional)
    ]
    if args.vararg:
        found.append(kinds(args.vararg.arg, kinds.VAR_POSITIONAL))
    for one, default in zip(args.kwonlyargs, args.kw_defaults):
        found.append(kinds(one.arg, kinds.KEYWORD_ONLY, default=default or kinds.empty))
    if args.kwarg:
        found.append(kinds(args.kwarg.arg, kinds.VAR_KEYWORD))
    return inspect.Signature(found)


def check(call):
    client, *path, method = ast.unparse(call.func).split(".")
    owner = classes["Holdfast"]
    for name in path:
        owner = type_of_attribute(owner, name)
    values = ["self", *call.args]
    signature_of(owner, method).bind(*values, **{one.arg: one.value for one in call.keywords})


def is_call(node):
    return isinstance(node, ast.Call) and ast.unparse(node.func).startswith("client.")


checked = 0
for sample in json.load(sys.stdin):
    for node in filter(is_call, ast.walk(ast.parse(sample))):
        try:
            check(node)
            checked += 1
        except TypeError as error:
            print(f"{ast.unparse(node)}: {error}")
print(f"checked {checked}")
