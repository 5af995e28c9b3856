from valor_core.readers.partition import Partition, fingerprint
from valor_core.readers.reader import InMemory, Reader
from valor_core.readers.resolve import reader_of, resolve_data

__all__ = [
    "InMemory",
    "Partition",
    "Reader",
    "fingerprint",
    "reader_of",
    "resolve_data",
]
