"""Trained models on ONNX Runtime: export (with torch), and an engine that needs onnxruntime and numpy only."""

__all__: list[str] = []
