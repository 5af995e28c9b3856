"""Detection batches from arrays and from outputs of detectors."""
