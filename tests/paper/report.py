"""report.py - reads a report page as a browser would: the JSON in its script, the arrays in that."""
import base64
import html.parser
import json

import numpy as np

import helpers

TYPES = {"f32": "<f4", "u32": "<u4", "u16": "<u2", "u8": "u1"}
MISSING = 2**32 - 1


class Scripts(html.parser.HTMLParser):
    """Which scripts a page has: (attributes, text)."""

    def __init__(self, text):
        super().__init__()
        self.found, self.is_inside = [], False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        if tag == "script":
            self.found.append((dict(attributes), ""))
            self.is_inside = True

    def handle_endtag(self, tag):
        self.is_inside &= tag != "script"

    def handle_data(self, data):
        if self.is_inside:
            self.found[-1] = (self.found[-1][0], self.found[-1][1] + data)


def unpack(value):
    """Everything that is an array in base64, as one."""
    if isinstance(value, list):
        return [unpack(v) for v in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"type", "data"}:
        return np.frombuffer(base64.b64decode(value["data"], validate=True), TYPES[value["type"]])
    return {key: unpack(v) for key, v in value.items()}


def write(model, items, *options, folder, name="report"):
    """The report as numbers and lists. The page holds what --json writes alone."""
    page, bare = folder / f"{name}.html", folder / f"{name}.json"
    helpers.run("report", model, items, *options, "-o", page, "--threads", 1)
    helpers.run("report", model, items, *options, "-o", bare, "--json", "--threads", 3)
    scripts = Scripts(page.read_text(encoding="utf-8")).found
    data = [text for attributes, text in scripts if attributes.get("id") == "report-data"]
    assert len(data) == 1 and [a.get("type") for a, _ in scripts].count("application/json") == 1
    assert data[0] + "\n" == bare.read_text(encoding="utf-8"), "the same for one thread and for three"
    return unpack(json.loads(data[0]))


def as_floats(values):
    """Numbers as the page has them."""
    return np.asarray(values, dtype=float).astype(np.float32)


def assert_same(found, expected, what):
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    assert found.shape == expected.shape, f"{what}: shape {found.shape}, not {expected.shape}"
    assert np.array_equal(found, expected, equal_nan=True), f"{what}: {found} instead of {expected}"


def assert_near(found, expected, what, slack=1e-9):
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    assert found.shape == expected.shape, f"{what}: shape {found.shape}, not {expected.shape}"
    assert np.allclose(found, expected, rtol=slack, atol=slack, equal_nan=True), f"{what}: {found} not {expected}"
