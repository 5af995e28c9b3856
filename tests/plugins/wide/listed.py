from attrs import define, frozen

from valor_core import Result
from valor_core.parameters import changed_parameters
from valor_core.states import DerivedState, StateRequest, counted


@define
class Uids(DerivedState):
    uids: set[str] = counted(set)

    def update(self, batch):
        self.uids |= set(map(str, batch.datums.uids.tolist()))


@frozen
class Listed:
    parameters: object

    def needs(self):
        return (StateRequest(Uids),)

    def compute(self, state):
        file = self.parameters.file
        known = file.read_text().split() if file.is_file() else [file.name]
        shaped = changed_parameters(self.parameters, "file")
        yield Result(value=len(state.uids & set(known)), parameters=shaped)
