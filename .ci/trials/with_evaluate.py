"""A metric as a module of Hugging Face evaluate."""

from valor_evaluate import module

f1 = module("classification.F1", average="macro")
print(f1.compute(predictions=["cat", "dog", "dog"], references=["cat", "cat", "dog"]))
