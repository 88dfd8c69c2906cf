"""A process that holds one runtime with a fixed number of threads and times what it is told to.

`python -m comparison.worker torch|onnxruntime THREADS`: one JSON request a line on the standard
input, one JSON answer a line on the standard output.
"""

import json
import os
import sys
import time
import traceback

import numpy

from . import model as models

OUTPUTS = ("policy", "wdl", "plies", "margin")


class Worker:
    def __init__(self, runtime, threads):
        self.runtime, self.threads = runtime, threads
        self.models, self.prepared = {}, {}
        if runtime == "torch":
            import torch

            torch.set_num_threads(threads)

    def answer(self, request):
        return getattr(self, request.pop("do"))(**request)

    def about(self):
        """Versions, and the forms there are."""
        if self.runtime == "torch":
            import torch

            from . import torch_net

            usable = lambda form: torch_net.has_compiler() or not form.startswith("compiled")
            return {
                "version": torch.__version__,
                "compiler": torch_net.has_compiler(),
                "inference": [form for form in torch_net.INFERENCE_FORMS if usable(form)],
                "training": [form for form in torch_net.TRAINING_FORMS if usable(form)],
            }
        import onnxruntime

        return {"version": onnxruntime.__version__, "inference": ["session"], "training": []}

    def agree(self, model, form):
        """The largest difference of each output from menagerie's, relative to its largest value."""
        held = self.model(model)
        if held.sample is None:
            raise models.Unreadable(f"{model} has no sample.json to agree with")
        outputs = self.prepare("inference", model, form, None)()
        found = dict(zip(OUTPUTS, outputs))
        differences = {}
        for name, expected in held.sample.answers.items():
            scale = float(numpy.abs(expected).max())
            if scale < 1e-3:
                raise models.Unreadable(f"{name} of the sample is all but zero: it shows nothing")
            got = numpy.asarray(found[name]).reshape(expected.shape)
            difference = float(numpy.abs(got - expected).max()) / scale
            # Not a number would compare as no difference at all.
            differences[name] = difference if numpy.isfinite(got).all() else float("inf")
        return differences

    def warm(self, kind, model, form, batch):
        """Makes everything ready, so that only the work itself is timed."""
        work = self.prepare(kind, model, form, batch)
        for _ in range(3):
            work()
        return True

    def time(self, kind, model, form, batch, seconds):
        """Positions a second over at least `seconds`."""
        work = self.prepare(kind, model, form, batch)
        work()
        began, calls = time.perf_counter(), 0
        while True:
            work()
            calls += 1
            spent = time.perf_counter() - began
            if spent >= seconds:
                return calls * batch / spent

    def model(self, folder):
        if folder not in self.models:
            self.models[folder] = models.load(folder)
        return self.models[folder]

    def prepare(self, kind, folder, form, batch):
        """The work of one call. `batch` None takes the sample as it is."""
        key = (kind, folder, form, batch)
        if key not in self.prepared:
            self.prepared[key] = self.make(kind, self.model(folder), form, batch)
        return self.prepared[key]

    def make(self, kind, model, form, batch):
        planes, facts = rows(model, batch)
        if self.runtime == "onnxruntime":
            from . import onnx_net

            return onnx_net.inference(model, self.threads, planes, facts)
        from . import torch_net

        make = torch_net.inference if kind == "inference" else torch_net.training
        return make(model, form, planes, facts)


def rows(model, batch):
    """`batch` positions of the sample, over and over, or the sample as it is."""
    sample = model.sample
    which = numpy.arange(batch or len(sample.planes)) % len(sample.planes)
    return sample.planes[which], sample.globals[which]


def main():
    # What libraries print goes to the errors: the standard output is for answers alone.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    worker = Worker(sys.argv[1], int(sys.argv[2]))
    for line in sys.stdin:
        try:
            answer = {"ok": worker.answer(json.loads(line))}
        except Exception as error:  # told to the one who asked
            traceback.print_exc()
            first = str(error).splitlines() or [""]
            answer = {"error": f"{type(error).__name__}: {first[0]}"}
        answers.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
