from __future__ import annotations

from valor_core.parameters import Within, parameter, parameters


@parameters
class HitRateParameters:
    first: int = parameter(default=1, help="How many documents count.", check=Within(1))


@parameters
class JudgeParameters:
    model: str = parameter(default="small", help="Which model is asked.")
    budget: int = parameter(default=10, help="How many questions may be asked.", check=Within(0))
