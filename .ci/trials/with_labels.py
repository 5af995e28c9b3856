"""Errors of calibration, from counts in bins."""

import numpy as np
from valor_labels import calibration_errors

counts, hits, scores = np.array([0, 2]), np.array([0, 1]), np.array([0.0, 1.5])
print(calibration_errors(counts, hits, scores, "accuracy", "no predictions"))
