"""Small networks for tests: what they say of a puzzle can be worked out by hand."""

import hashlib
import json
from pathlib import Path
from typing import Any

import onnx
from onnx import TensorProto, helper

SHARP = 50.0
CARD = {"patch": 40, "gaps": [0, 8], "data": "none: it was written by hand", "licence": "none needed"}


def network(outputs: tuple[str, ...] = ("right", "down", "place"), wrong: bool = False) -> bytes:
    """Facing rims are compared by their mean colour; a patch likes rows by how bright it is, and high columns.

    One that is ``wrong`` says too little of places.
    """
    rims = {"ends": (3, 39, 40), "begins": (3, 0, 1), "bottoms": (2, 39, 40), "tops": (2, 0, 1)}
    nodes, numbers = [], []

    def constant(name: str, values: list[float], type_: int = TensorProto.INT64) -> str:
        numbers.append(helper.make_tensor(name, type_, [len(values)], values))
        return name

    everywhere = constant("everywhere", [1, 2, 3])
    sharp = constant("sharp", [-SHARP], TensorProto.FLOAT)

    def step(operator: str, inputs: list[str], output: str, **options: Any) -> str:
        nodes.append(helper.make_node(operator, inputs, [output], **options))
        return output

    for name, (axis, start, stop) in rims.items():
        where = [constant(f"{name}_{k}", [v]) for k, v in (("start", start), ("stop", stop), ("axis", axis))]
        cut = step("Slice", ["patches", *where], f"{name}_cut")
        mean = step("ReduceMean", [cut, everywhere], f"{name}_mean", keepdims=1)
        step("Flatten", [mean], name)  # [n, 1]
    for one, other, output in (("ends", "begins", "right"), ("bottoms", "tops", "down")):
        across = step("Transpose", [other], f"{other}_across")
        step(
            "Mul", [step("Abs", [step("Sub", [one, across], f"{output}_difference")], f"{output}_size"), sharp], output
        )
    bright = step("Flatten", [step("ReduceMean", ["patches", everywhere], "mean", keepdims=1)], "bright")
    row_start, row_stop, col_stop, second = (
        constant(f"at_{k}", [v]) for k, v in zip("abcd", (0, 1, 2, 1), strict=True)
    )
    row = step("Transpose", [step("Slice", ["cells", row_start, row_stop, second], "row_down")], "row")  # [1, m]
    col = step("Transpose", [step("Slice", ["cells", row_stop, col_stop, second], "col_down")], "col")
    gap = step("Slice", ["shape", constant("gap_at", [2]), constant("gap_end", [3])], "gap")
    liked = step("Add", [step("Mul", [bright, row], "by_row"), col], "by_cell")
    step("Add", [bright if wrong else liked, gap], "place")
    graph = helper.make_graph(
        nodes,
        "by hand",
        [
            helper.make_tensor_value_info("patches", TensorProto.FLOAT, ["n", 3, 40, 40]),
            helper.make_tensor_value_info("cells", TensorProto.FLOAT, ["m", 2]),
            helper.make_tensor_value_info("shape", TensorProto.FLOAT, [3]),
        ],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", "others"]) for name in outputs],
        numbers,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(model)
    data: bytes = model.SerializeToString()
    return data


def write(folder: Path, name: str, data: bytes | None = None, **card: Any) -> None:
    """A network and its card, of which some may be wrong."""
    data = network() if data is None else data
    (folder / f"{name}.onnx").write_bytes(data)
    told = {**CARD, "sha256": hashlib.sha256(data).hexdigest(), **card}
    (folder / f"{name}.json").write_text(json.dumps({k: v for k, v in told.items() if v is not None}))
