"""A policy as a folder for machines without depo: ONNX, NumPy or JAX."""
