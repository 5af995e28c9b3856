"""No module of evaluate."""

import evaluate

HERE = evaluate.__name__
