"""The parts of `scripts/compare.py`: the same network in PyTorch and ONNX Runtime."""
