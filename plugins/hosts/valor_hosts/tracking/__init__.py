"""Reports in experiment trackers and telemetry: MLflow, W&B, TensorBoard and OpenTelemetry."""
