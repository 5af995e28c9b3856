"""The four abilities of the Retrieval-Augmented Generation Benchmark."""
