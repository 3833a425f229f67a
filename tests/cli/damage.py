"""Ways to damage a model file: bytes changed with and without a checksum that fits again."""

import ctypes
import ctypes.util
import json

import numpy as np

DIGITS = slice(37, 69)  # the checksum stands at the same place in every model
ZEROS = b"0" * 32
TYPES = {"U8": "u1", "U32": "<u4", "F64": "<f8"}


class Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def checksum(data):
    library = ctypes.CDLL(ctypes.util.find_library("xxhash"))  # which the command is built with, too
    library.XXH3_128bits.restype = Hash128
    library.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    found = library.XXH3_128bits(data, len(data))
    return f"{found.high:016x}{found.low:016x}".encode()


def replace(data, place, new):
    return data[: place.start] + new + data[place.stop :]


def seal(data):
    """Gives the file the checksum of its content."""
    blank = replace(data, DIGITS, ZEROS)
    return replace(blank, DIGITS, checksum(blank))


def header_end(model):
    return 8 + int.from_bytes(model[:8], "little")


def with_header(model, change):
    """The model with another header, sealed.  change: what to do to the header as a dictionary"""
    end = header_end(model)
    header = json.loads(model[8:end])
    change(header)
    text = json.dumps(header, separators=(",", ":")).encode()
    return seal(len(text).to_bytes(8, "little") + text + model[end:])


def with_fact(name, value):
    """What makes of a model one with another fact in its header."""

    def change(header):
        header["__metadata__"][name] = value

    return lambda model: with_header(model, change)


def with_entry(name, **facts):
    """What makes of a model one that describes an array differently."""

    def change(header):
        header[name].update(facts)

    return lambda model: with_header(model, change)


def without_entry(name):
    def change(header):
        del header[name]

    return lambda model: with_header(model, change)


def with_number(name, place, number):
    """What makes of a model one with another number in an array, sealed.  place: from 0, or from the end"""

    def change(model):
        end = header_end(model)
        entry = json.loads(model[8:end])[name]
        start, stop = (end + offset for offset in entry["data_offsets"])
        array = np.frombuffer(model[start:stop], dtype=TYPES[entry["dtype"]]).copy()
        array[place] = number
        return seal(model[:start] + array.tobytes() + model[stop:])

    return change


def flip(place, bit=0):
    """What turns one bit of a model around."""

    def turn(model):
        byte = model[place] ^ 1 << bit
        return model[:place] + bytes([byte]) + model[place + 1 :]

    return turn


def safetensors(header, data):
    """A file in the layout of a model."""
    return len(header).to_bytes(8, "little") + header + data
