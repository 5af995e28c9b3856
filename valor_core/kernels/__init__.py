"""Kernels: threads, and compiled code behind a plain seam: what inner loops stand on."""
