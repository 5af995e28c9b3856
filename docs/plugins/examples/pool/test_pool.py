import pool
from valor_testing import check_plugin

from valor_core import Registry, evaluate


def test_plugin_keeps_the_laws():
    check_plugin(pool)


def test_pool_counts_all_partitions(request):
    registry = Registry()
    registry.register("pool", pool)
    path = request.path.with_name("animals.csv")
    data = {"reader": "lists", "path": path, "partition_bytes": 40}
    options = {"task": "classification", "registry": registry}
    report = evaluate(data, ["Accuracy"], engine={"name": "pool", "workers": 2}, **options)
    assert report["Accuracy"].value == 3 / 4  # the second animal is a dog, predicted as a cat
