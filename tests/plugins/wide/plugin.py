from valor_core.specs import MetricSpec, Range, hookimpl


@hookimpl
def valor_metrics():
    return [
        MetricSpec(
            name="wide.Listed",
            task="text",
            other_tasks=("classification",),
            summary="How many items are in a file",
            parameters="wide.parameters:Listed",
            implementation="wide.listed:Listed",
            higher_is_better=None,
            range=Range(0),
            aliases=("in_file",),
            name_parameter="file",
        )
    ]
