from valor_core.readers.fingerprints import fingerprint
from valor_core.readers.pairs import check_one_task
from valor_core.readers.partition import Partition, identity
from valor_core.readers.reader import InMemory, Position, Reader
from valor_core.readers.resolve import reader_of

__all__ = [
    "InMemory",
    "Partition",
    "Position",
    "Reader",
    "check_one_task",
    "fingerprint",
    "identity",
    "reader_of",
]
