"""The network of `src/nn/net.rs` as an ONNX graph, written node by node, and as a session."""

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from .model import MARGIN_SCALE, PLIES_SCALE

OPSET, IR_VERSION = 17, 8


class Graph:
    """Nodes and weights as they come; each method adds a node and gives its output's name."""

    def __init__(self, weights):
        self.weights = weights
        self.nodes, self.initializers, self.known = [], [], set()

    def node(self, kind, *inputs, **attributes):
        name = f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name, **attributes))
        return name

    def constant(self, name, array):
        if name not in self.known:
            self.known.add(name)
            self.initializers.append(numpy_helper.from_array(numpy.ascontiguousarray(array), name))
        return name

    def weight(self, name):
        return self.constant(name, self.weights[name])

    def convolution(self, x, name):
        side = self.weights[f"{name}.weight"].shape[2]
        inputs = (x, self.weight(f"{name}.weight"), self.weight(f"{name}.bias"))
        return self.node("Conv", *inputs, kernel_shape=[side] * 2, pads=[(side - 1) // 2] * 4)

    def dense(self, x, name):
        return self.node("Gemm", x, self.weight(f"{name}.weight"), self.weight(f"{name}.bias"))

    def relu(self, x):
        return self.node("Relu", x)

    def scaled(self, x, factor):
        return self.node("Mul", x, self.constant(f"scale_{factor}", numpy.float32(factor)))

    def biased(self, x, bias):
        """Adds one bias for each board and channel."""
        axes = self.constant("axes_of_squares", numpy.array([2, 3], dtype=numpy.int64))
        return self.node("Add", x, self.node("Unsqueeze", bias, axes))

    def pooled(self, x):
        """Means, then maxima over the squares."""
        parts = [self.node(kind, x) for kind in ("GlobalAveragePool", "GlobalMaxPool")]
        return self.node("Flatten", self.node("Concat", *parts, axis=1), axis=1)

    def by_square(self, x):
        """[n, channels, height, width] to [n, squares * channels]."""
        return self.node("Flatten", self.node("Transpose", x, perm=[0, 2, 3, 1]), axis=1)


def network(model):
    """The ONNX model; inputs `planes` [n, planes, height, width] and `globals`, where there are
    any; outputs `policy`, `wdl`, `plies` and, where the game has points, `margin`."""
    shape, graph = model.shape, Graph(model.weights)
    x = graph.convolution("planes", "stem")
    if shape.globals:
        x = graph.biased(x, graph.dense("globals", "globals"))
    x = graph.relu(x)
    for number in range(model.blocks):
        block = f"blocks.{number}"
        inner = graph.convolution(x, f"{block}.first")
        if f"{block}.pool.weight" in model.weights:
            inner = graph.biased(inner, graph.dense(graph.pooled(x), f"{block}.pool"))
        inner = graph.convolution(graph.relu(inner), f"{block}.second")
        x = graph.relu(graph.node("Add", inner, x))
    outputs = heads(graph, shape, x)
    for name, made in outputs.items():
        graph.nodes.append(helper.make_node("Identity", [made], [name], name))
    board = ["n", shape.planes, shape.height, shape.width]
    given = {"planes": board} | ({"globals": ["n", shape.globals]} if shape.globals else {})
    value = lambda name, dims: helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)
    widths = {"policy": shape.codes, "wdl": 3, "plies": 1, "margin": 1}
    made = helper.make_graph(
        graph.nodes,
        "menagerie",
        [value(name, dims) for name, dims in given.items()],
        [value(name, ["n", widths[name]]) for name in outputs],
        graph.initializers,
    )
    opset = [helper.make_opsetid("", OPSET)]
    whole = helper.make_model(made, opset_imports=opset, ir_version=IR_VERSION)
    onnx.checker.check_model(whole)
    return whole


def heads(graph, shape, x):
    """The outputs by name."""
    summary = graph.pooled(x)
    bias = graph.dense(summary, "heads.policy_pool")
    policy = graph.relu(graph.biased(graph.convolution(x, "heads.policy_conv"), bias))
    policy = graph.by_square(graph.convolution(policy, "heads.policy_out"))
    value = graph.by_square(graph.relu(graph.convolution(x, "heads.value_conv")))
    features = graph.node("Concat", value, summary, axis=1)
    if shape.extra_codes:
        hidden = graph.relu(graph.dense(features, "heads.extra.hidden"))
        extra = graph.dense(hidden, "heads.extra.out")
        policy = graph.node("Concat", policy, extra, axis=1)
    hidden = graph.relu(graph.dense(features, "heads.value_hidden"))
    plies = graph.node("Softplus", graph.dense(hidden, "heads.plies"))
    outputs = {
        "policy": policy,
        "wdl": graph.dense(hidden, "heads.wdl"),
        "plies": graph.scaled(plies, PLIES_SCALE),
    }
    if shape.margin:
        outputs["margin"] = graph.scaled(graph.dense(hidden, "heads.margin"), MARGIN_SCALE)
    return outputs


def inference(model, threads, planes, facts):
    """A function of no arguments that evaluates the batch and gives host arrays."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    session = onnxruntime.InferenceSession(
        network(model).SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    shape = model.shape
    boards = planes.reshape(len(planes), shape.height, shape.width, shape.planes)
    given = {"planes": numpy.ascontiguousarray(boards.transpose(0, 3, 1, 2))}
    if shape.globals:
        given["globals"] = facts
    return lambda: session.run(None, given)
