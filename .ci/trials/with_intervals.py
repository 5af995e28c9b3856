"""An interval of a share."""

from valor_intervals import wilson_interval

print(wilson_interval(8 / 10, 10))
