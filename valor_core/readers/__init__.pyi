from valor_core.readers.partition import Partition, fingerprint, identity
from valor_core.readers.reader import InMemory, Position, Reader
from valor_core.readers.resolve import check_one_task, reader_of, resolve_data

__all__ = [
    "InMemory",
    "Partition",
    "Position",
    "Reader",
    "check_one_task",
    "fingerprint",
    "identity",
    "reader_of",
    "resolve_data",
]
