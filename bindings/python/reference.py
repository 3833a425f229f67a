#!/usr/bin/env python3
"""Writes docs/python-api.md from the docstrings of the installed package: reference.py > docs/python-api.md"""

import inspect
import re

from sklearn.base import BaseEstimator

import smerf

HEAD = """# Reference of the Python package

Every class and function of `smerf`, from its docstrings (written by `bindings/python/reference.py`; a test sees that it
is up to date). Every example is run by the tests. What it is about: [python.md](python.md).
"""


def section(text: str) -> str:
    """A numpydoc docstring as Markdown: its sections become lists, its examples code."""
    lines, out, in_list, in_code = inspect.cleandoc(text).split("\n"), [], False, False
    skip = False
    for line, following in zip(lines, lines[1:] + [""]):
        if skip:
            skip = False
            continue
        if re.fullmatch(r"-{3,}", following.strip()) and line.strip():
            if in_code:
                out.append("```")
            in_code = line == "Examples"
            in_list = not in_code
            out += ["```python" if in_code else f"**{line}**", *([] if in_code else [""])]
            skip = True
        elif in_list and line and not line.startswith(" "):
            name, _, kind = line.partition(" : ")
            out.append(f"- `{name}`" + (f" ({kind})" if kind else ""))
        elif in_list:
            out.append(f"  {line.strip()}" if line.strip() else "")
        else:
            out.append(line)
    if in_code:
        while out[-1] == "":
            out.pop()
        out.append("```")
    return "\n".join(out).rstrip() + "\n"


def signature(thing: object) -> str:
    """Names and defaults; types are in the text."""
    parts = []
    star = False
    for parameter in inspect.signature(thing).parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        if parameter.kind is parameter.VAR_KEYWORD:
            parts.append(f"**{parameter.name}")
        elif parameter.default is parameter.empty:
            parts.append(parameter.name)
        else:
            parts.append(f"{parameter.name}={parameter.default!r}")
    return "(" + ", ".join(parts) + ")"


def members(thing: type) -> list[str]:
    """What smerf's own classes define, each where it is first public."""
    found = []
    for name in sorted(dir(thing)):
        value = getattr(thing, name)
        own = getattr(value, "fget", None) or getattr(value, "__func__", value)
        if not name.startswith("_") and getattr(own, "__module__", "").startswith("smerf"):
            found.append(name)
    return found


def show_member(name: str, member: str, value: object) -> None:
    title = f"`{member}`" if isinstance(value, property) else f"`{member}{signature(value)}`"
    print(f"### {name}.{member}\n\n{title}\n\n{section(value.__doc__)}")


def show_class(name: str, thing: type) -> None:
    """In full what `DistanceForest` does not have; the rest by name."""
    is_other = name != "DistanceForest" and issubclass(thing, BaseEstimator)
    shared = members(smerf.DistanceForest) if is_other else []
    listed = members(thing)
    for member in listed:
        if member not in shared:
            show_member(name, member, getattr(thing, member))
    if any(member in shared for member in listed):
        print("Methods, as in `DistanceForest`: " + ", ".join(f"`{member}`" for member in listed if member in shared) + ".\n")


def main() -> None:
    print(HEAD)
    for name in ["DistanceForest", *sorted(set(smerf.__all__) - {"DistanceForest"})]:
        thing = getattr(smerf, name)
        if inspect.ismodule(thing):
            print(f"## {name}\n\n`smerf.{name}`\n\n{section(thing.__doc__)}")
            for member in thing.__all__:
                show_member(name, member, getattr(thing, member))
            continue
        is_warning = isinstance(thing, type) and issubclass(thing, Warning)
        print(f"## {name}\n\n`smerf.{name}{'' if is_warning else signature(thing)}`\n\n{section(thing.__doc__)}")
        if isinstance(thing, type) and not is_warning:
            show_class(name, thing)


if __name__ == "__main__":
    main()
