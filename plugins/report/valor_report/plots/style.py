"""Style sheet of drawings.

Colors are CSS custom properties, so that a drawing follows the light or dark style of its page.
"""

from __future__ import annotations

from valor_report.plots.charts import COLORS

STYLE = """
svg.plot { display: block; width: 100%; height: auto; font: 12px var(--sans); overflow: visible; }
svg.plot text { fill: var(--soft); }
svg.plot .title-x, svg.plot .title-y { fill: var(--ink); }
svg.plot .grid { stroke: var(--line); stroke-width: 1; }
svg.plot .axis { stroke: var(--soft); stroke-width: 1; fill: none; }
svg.plot .guide { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 4 4; fill: none; }
svg.plot .curve { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
svg.plot .other { stroke: var(--soft); stroke-width: 1; opacity: .35; }
svg.plot circle.other { fill: var(--soft); }
svg.plot .mean { stroke: var(--ink); stroke-width: 3; }
svg.plot circle.mean { fill: var(--ink); }
svg.plot .legend { fill: var(--ink); }
svg.plot .bar { fill: var(--accent); }
svg.plot .whisker { fill: none; stroke: var(--ink); stroke-width: 1.5; }
svg.plot .cell { fill: var(--accent); }
svg.plot .off { fill: var(--bad); }
svg.plot .frame { fill: none; stroke: var(--line); }
svg.plot .count { fill: var(--ink); text-anchor: middle; dominant-baseline: central;
  font-size: 11px; pointer-events: none; }
svg.plot .count.on { fill: var(--on-accent); }
svg.plot a:hover > *, svg.plot a:focus-visible > * { stroke: var(--ink); stroke-width: 2; }
""" + "".join(
    f"svg.plot .c{i} {{ stroke: var(--c{i}); }} svg.plot circle.c{i} {{ fill: var(--c{i}); }}\n"
    for i in range(COLORS)
)
