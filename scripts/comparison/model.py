"""A model folder as menagerie writes it: card, weights, and a sample of what it says.

Reads burn's burnpack file without burn: a header of ten bytes, a CBOR map that names each tensor
with its type, shape and place, and the tensors from the next multiple of 256 on.
"""

import json
import struct
import tomllib
from dataclasses import dataclass
from pathlib import Path

import numpy

PLIES_SCALE, MARGIN_SCALE = 50.0, 10.0  # src/nn/net.rs
MAGIC, VERSION, ALIGNMENT = b"NRUB", 1, 256


class Unreadable(Exception):
    """A model folder that is not what this script knows."""


@dataclass
class Shape:
    """What the network sees and says; the names are those of the card."""

    width: int
    height: int
    planes: int
    globals: int
    policy_planes: int
    extra_codes: int
    margin: bool

    @property
    def squares(self):
        return self.width * self.height

    @property
    def codes(self):
        return self.squares * self.policy_planes + self.extra_codes


@dataclass
class Sample:
    """Positions and menagerie's own answers to them.

    planes [n, squares, planes], globals [n, globals]; answers by the name of the output, each
    [n, ...].
    """

    planes: numpy.ndarray
    globals: numpy.ndarray
    answers: dict


@dataclass
class Model:
    shape: Shape
    blocks: int
    channels: int
    weights: dict
    sample: Sample | None


def load(folder):
    """The model in `folder`; its sample is None if the folder has no sample.json."""
    folder = Path(folder)
    card = tomllib.loads((folder / "card.toml").read_text())
    shape = Shape(**card["shape"])
    path = folder / "sample.json"
    return Model(
        shape=shape,
        blocks=card["network"]["blocks"],
        channels=card["network"]["channels"],
        weights=tensors((folder / "model.bpk").read_bytes()),
        sample=sample(json.loads(path.read_text()), shape) if path.exists() else None,
    )


def sample(written, shape):
    """The content of sample.json as arrays."""
    count, squares, planes = written["planes_shape"]
    rows = lambda key: numpy.asarray(written[key], dtype=numpy.float32).reshape(count, -1)
    answers = {"policy": rows("logits"), "wdl": rows("wdl"), "plies": rows("plies")}
    if shape.margin:
        answers["margin"] = rows("margin")
    return Sample(
        planes=rows("planes").reshape(count, squares, planes),
        globals=rows("globals"),
        answers=answers,
    )


def tensors(data):
    """The tensors of a burnpack file by name, as float32 arrays."""
    magic, version, size = struct.unpack_from("<4sHI", data)
    if magic != MAGIC or version != VERSION:
        raise Unreadable(f"not burnpack version {VERSION}: begins with {data[:6].hex()}")
    header, _ = cbor(data, 10)
    start = -(-(10 + size) // ALIGNMENT) * ALIGNMENT
    found = {}
    for name, about in header["tensors"].items():
        if about["dtype"] != "F32":
            raise Unreadable(f"tensor {name} is {about['dtype']}, not F32")
        begin, end = about["data_offsets"]
        values = numpy.frombuffer(data, "<f4", (end - begin) // 4, start + begin)
        found[name] = values.reshape(about["shape"]).copy()
    return found


def cbor(data, at):
    """The item at `at` and where the next one begins: the part of RFC 8949 that burnpack uses."""
    kind, short = data[at] >> 5, data[at] & 31
    at += 1
    if kind == 7:
        simple = {20: False, 21: True, 22: None}
        if short not in simple:
            raise Unreadable(f"CBOR simple value {short} at byte {at - 1}")
        return simple[short], at
    if short < 24:
        value = short
    elif short < 28:
        size = 1 << (short - 24)
        value = int.from_bytes(data[at : at + size], "big")
        at += size
    else:
        raise Unreadable(f"CBOR item of unknown length at byte {at - 1}")
    if kind == 0:
        return value, at
    if kind in (2, 3):
        raw = data[at : at + value]
        return (raw.decode() if kind == 3 else bytes(raw)), at + value
    if kind == 4:
        items = []
        for _ in range(value):
            item, at = cbor(data, at)
            items.append(item)
        return items, at
    if kind == 5:
        items = {}
        for _ in range(value):
            key, at = cbor(data, at)
            items[key], at = cbor(data, at)
        return items, at
    raise Unreadable(f"CBOR major type {kind} at byte {at - 1}")
