"""The network of `src/nn/net.rs` and the learner's step in PyTorch, in every form worth timing."""

import shutil

import numpy
import torch
from torch import nn
from torch.nn import functional

from .model import MARGIN_SCALE, PLIES_SCALE

LOSS_UNIT = 20.0  # src/learn/loss.rs
WEIGHTS_OF_LOSS = {"policy": 1.0, "value": 1.0, "plies": 0.05, "margin": 0.25}
ILLEGAL = -1e9  # src/replay/sampler.rs

INFERENCE_FORMS = ("eager", "channels-last", "jit-frozen", "compiled")
TRAINING_FORMS = ("eager", "channels-last", "compiled", "compiled channels-last")


def has_compiler():
    """Is there a C++ compiler, without which `torch.compile` cannot work on a CPU?"""
    return any(shutil.which(name) for name in ("g++", "c++", "clang++"))


class Net(nn.Module):
    """Boards [n, planes, height, width] and globals [n, globals] to policy, wdl, plies, margin."""

    def __init__(self, model):
        super().__init__()
        self.weights = model.weights
        shape = model.shape
        self.stem = self.convolution("stem")
        self.globals = self.dense("globals") if shape.globals else None
        blocks = range(model.blocks)
        self.first = nn.ModuleList(self.convolution(f"blocks.{i}.first") for i in blocks)
        self.second = nn.ModuleList(self.convolution(f"blocks.{i}.second") for i in blocks)
        self.pools = nn.ModuleList(
            self.dense(f"blocks.{i}.pool") if f"blocks.{i}.pool.weight" in self.weights else None
            for i in blocks
        )
        self.policy_conv = self.convolution("heads.policy_conv")
        self.policy_pool = self.dense("heads.policy_pool")
        self.policy_out = self.convolution("heads.policy_out")
        self.value_conv = self.convolution("heads.value_conv")
        self.value_hidden = self.dense("heads.value_hidden")
        self.wdl = self.dense("heads.wdl")
        self.plies = self.dense("heads.plies")
        self.margin = self.dense("heads.margin") if shape.margin else None
        self.extra_hidden = self.dense("heads.extra.hidden") if shape.extra_codes else None
        self.extra_out = self.dense("heads.extra.out") if shape.extra_codes else None
        del self.weights

    def convolution(self, name):
        weight = torch.from_numpy(self.weights[f"{name}.weight"])
        outputs, inputs, side, _ = weight.shape
        layer = nn.Conv2d(inputs, outputs, side, padding=(side - 1) // 2)
        return self.filled(layer, name, weight)

    def dense(self, name):
        weight = torch.from_numpy(self.weights[f"{name}.weight"]).t().contiguous()
        return self.filled(nn.Linear(weight.shape[1], weight.shape[0]), name, weight)

    def filled(self, layer, name, weight):
        with torch.no_grad():
            layer.weight.copy_(weight)
            layer.bias.copy_(torch.from_numpy(self.weights[f"{name}.bias"]))
        return layer

    def forward(self, planes, facts):
        x = self.stem(planes)
        if self.globals is not None:
            x = x + self.globals(facts)[:, :, None, None]
        x = functional.relu(x)
        for first, second, pool in zip(self.first, self.second, self.pools):
            inner = first(x)
            if pool is not None:
                inner = inner + pool(pooled(x))[:, :, None, None]
            x = functional.relu(second(functional.relu(inner)) + x)
        summary = pooled(x)
        policy = self.policy_conv(x) + self.policy_pool(summary)[:, :, None, None]
        policy = by_square(self.policy_out(functional.relu(policy)))
        features = torch.cat([by_square(functional.relu(self.value_conv(x))), summary], 1)
        if self.extra_hidden is not None:
            extra = self.extra_out(functional.relu(self.extra_hidden(features)))
            policy = torch.cat([policy, extra], 1)
        hidden = functional.relu(self.value_hidden(features))
        plies = functional.softplus(self.plies(hidden)) * PLIES_SCALE
        outputs = (policy, self.wdl(hidden), plies)
        if self.margin is not None:
            outputs += (self.margin(hidden) * MARGIN_SCALE,)
        return outputs


def pooled(x):
    """Means, then maxima over the squares."""
    return torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)


def by_square(x):
    """[n, channels, height, width] to [n, squares * channels]."""
    return x.permute(0, 2, 3, 1).flatten(1)


def inputs(model, planes, facts, channels_last):
    """Host arrays as the tensors that a form wants; `planes` is [n, squares, planes]."""
    shape = model.shape
    boards = planes.reshape(len(planes), shape.height, shape.width, shape.planes)
    boards = torch.from_numpy(numpy.ascontiguousarray(boards)).permute(0, 3, 1, 2)
    return boards if channels_last else boards.contiguous(), torch.from_numpy(facts.copy())


def inference(model, form, planes, facts):
    """A function of no arguments that evaluates the batch in this form and gives host arrays."""
    net = Net(model).eval().requires_grad_(False)
    channels_last = form == "channels-last"
    tensors = inputs(model, planes, facts, channels_last)
    if channels_last:
        net = net.to(memory_format=torch.channels_last)
    elif form == "jit-frozen":
        with torch.no_grad():
            net = torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.trace(net, tensors)))
    elif form == "compiled":
        net = torch.compile(net, dynamic=False, options={"freezing": True})

    # `inference_mode` would be a little quicker still, but forbids the compiler's freezing.
    guard = torch.no_grad if form == "compiled" else torch.inference_mode

    def evaluate():
        with guard():
            return [output.numpy() for output in net(*tensors)]

    return evaluate


class Lesson(nn.Module):
    """The network with the losses behind it, so that they are compiled together."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, planes, facts, target, mask, wdl, plies, margin):
        policy, chances, left, *points = self.net(planes, facts)
        loss = WEIGHTS_OF_LOSS["policy"] * cross_entropy(policy + mask, target)
        loss = loss + WEIGHTS_OF_LOSS["value"] * cross_entropy(chances, wdl)
        loss = loss + WEIGHTS_OF_LOSS["plies"] * smooth_l1(left, plies)
        for guess in points:
            loss = loss + WEIGHTS_OF_LOSS["margin"] * smooth_l1(guess, margin)
        return loss


def cross_entropy(logits, target):
    return -(functional.log_softmax(logits, 1) * target).sum() / len(logits)


def smooth_l1(guess, target):
    return functional.smooth_l1_loss(guess / LOSS_UNIT, target / LOSS_UNIT)


def training(model, form, planes, facts):
    """A function of no arguments that takes one step on the batch in this form.

    A step is forward, losses, backward, clipping by the global norm and AdamW, without the
    averaged copy of the weights that menagerie's step keeps in addition.
    """
    channels_last = form.endswith("channels-last")
    tensors = inputs(model, planes, facts, channels_last) + targets(model, len(planes))
    net = Net(model).train()
    if channels_last:
        net = net.to(memory_format=torch.channels_last)
    lesson = Lesson(net)
    if form.startswith("compiled"):
        lesson = torch.compile(lesson, dynamic=False)
    parameters = list(net.parameters())
    groups = [
        {"params": [p for p in parameters if p.dim() > 1], "weight_decay": 1e-2},
        {"params": [p for p in parameters if p.dim() <= 1], "weight_decay": 0.0},
    ]
    optimiser = torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.99), eps=1e-8, fused=True)

    def step():
        optimiser.zero_grad(set_to_none=True)
        loss = lesson(*tensors)
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        return loss.item()

    return step


def targets(model, count):
    """Made-up targets: some 20 legal codes for each position, and chances, plies and margins."""
    random = torch.Generator().manual_seed(1)
    draw = lambda *size: torch.rand(*size, generator=random)
    legal = draw(count, model.shape.codes) < 20 / model.shape.codes
    legal[:, 0] = True
    mask = torch.where(legal, 0.0, ILLEGAL)
    target = torch.softmax(3 * draw(count, model.shape.codes) + mask, 1)
    wdl = torch.softmax(3 * draw(count, 3), 1)
    return target, mask, wdl, 100 * draw(count, 1), 40 * draw(count, 1) - 20
