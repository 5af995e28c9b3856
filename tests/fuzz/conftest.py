"""The fuzzers are scripts of their own; `tests/test_fuzzers.py` runs a few cases of each."""

collect_ignore_glob = ["*.py"]
