# SPDX-License-Identifier: Apache-2.0
"""Launches of a PTX or machine-code program with arguments from Python."""
from __future__ import annotations

import pathlib
from typing import Any, Sequence, Union

import numpy as np

Shape = Union[int, Sequence[int]]
_TYPES = {"u1": "u8", "u2": "u16", "u4": "u32", "u8": "u64", "i1": "s8", "i2": "s16", "i4": "s32",
          "i8": "s64", "f4": "f32", "f8": "f64"}


def _type_of(dtype: np.dtype) -> str:
    """The type of a launch file for a NumPy type. Raises TypeError."""
    try:
        return _TYPES[np.dtype(dtype).str[1:]]
    except KeyError:
        raise TypeError(f"a launch has no type for {dtype}") from None


def _text_of(shape: Shape) -> str:
    return str(shape) if isinstance(shape, int) else ",".join(map(str, shape))


class Launches:
    """Buffers in device memory and the launches that use them, in order.

    What a launch file says (docs/execution.md), with the data of NumPy arrays.
    """

    def __init__(self) -> None:
        self._buffers: dict[str, np.ndarray] = {}
        self._lines: list[str] = []

    def buffer(self, name: str, contents: np.ndarray) -> str:
        """Allocates a buffer with the contents of an array. Returns its name, for `launch`."""
        self._buffers[name] = np.ascontiguousarray(contents)
        _type_of(self._buffers[name].dtype)
        return name

    def launch(self, kernel: str, grid: Shape, block: Shape, *args: object, shared: int = 0) -> None:
        """Launches a kernel. Arguments are names of buffers and NumPy scalars, such as
        `np.float32(3)`; Python's int and float are passed as s32 and f32. `shared`: bytes of dynamic
        shared memory.
        """
        words = []
        for a in args:
            if isinstance(a, str):
                if a not in self._buffers:
                    raise KeyError(f"no buffer {a}")
                words.append(a)
            else:
                number: Any = a
                if not isinstance(a, np.generic):
                    number = np.float32(number) if isinstance(a, float) else np.int32(number)
                words.append(f"{_type_of(number.dtype)}:{number}")
        self._lines.append(f"launch {kernel} grid {_text_of(grid)} block {_text_of(block)}"
                           + (f" shared {shared}" if shared else "") + " args " + " ".join(words))

    def write(self, folder: pathlib.Path) -> pathlib.Path:
        """Writes the launch file and the data of its buffers. Returns the file."""
        lines = []
        for name, contents in self._buffers.items():
            contents.tofile(folder / f"{name}.bin")
            lines.append(f"buffer {name} {_type_of(contents.dtype)} {contents.size} file {name}.bin")
        file = folder / "python.launch"
        file.write_text("\n".join(lines + self._lines) + "\n")
        return file

    def dtype(self, name: str) -> np.dtype:
        """The type of a buffer's elements."""
        return self._buffers[name].dtype
