// Sorts tables by a clicked column, and filters long ones.
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0], heads = table.tHead?.rows[0]?.cells;
  if (!heads || !body || body.rows.length < 3) continue;
  const original = [...body.rows];
  const number = text => /^-?[\d,.]+(e[-+]?\d+)?[¹²³⁴⁵⁶⁷⁸⁹⁰]*$/i.test(text)
    ? parseFloat(text.replaceAll(",", "")) : NaN;
  const text = (row, at) => row.cells[at]?.textContent.trim() ?? "";
  const before = (a, b) => {
    const m = number(a), n = number(b);
    if (isNaN(m) !== isNaN(n)) return isNaN(m) ? 1 : -1;
    return isNaN(m) ? a.localeCompare(b, undefined, {numeric: true}) : m - n;
  };
  [...heads].forEach((head, at) => {
    const numeric = head.classList.contains("n");
    const turns = numeric ? ["descending", "ascending"] : ["ascending", "descending"];
    head.tabIndex = 0;
    head.classList.add("sorts");
    const sort = () => {
      const turn = turns[turns.indexOf(head.ariaSort) + 1];
      for (const other of heads) other.ariaSort = null;
      head.ariaSort = turn ?? null;
      const sign = turn === "descending" ? -1 : 1;
      const rows = turn ? [...original].sort((a, b) => {
        const x = text(a, at), y = text(b, at);
        // cells without a number come last in both directions
        const missing = numeric && isNaN(number(x)) !== isNaN(number(y));
        return missing ? before(x, y) : sign * before(x, y);
      }) : original;
      body.append(...rows);
    };
    head.addEventListener("click", sort);
    head.addEventListener("keydown", event => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); sort(); }
    });
  });
  if (original.length < 13) continue;
  const field = document.createElement("input");
  field.type = "search";
  field.placeholder = `Filter ${original.length.toLocaleString("en")} rows`;
  field.setAttribute("aria-label", field.placeholder);
  field.className = "filter";
  const place = table.closest("section")?.id ?? "";
  const filter = () => {
    const words = field.value.toLowerCase().split(/\s+/);
    for (const row of original)
      row.hidden = !words.every(word => row.textContent.toLowerCase().includes(word));
  };
  field.addEventListener("input", () => {
    filter();
    // the address keeps the filter: #items?cat dog
    history.replaceState(null, "", `#${place}${field.value && `?${encodeURIComponent(field.value)}`}`);
  });
  const read = () => {
    const [at, words] = location.hash.slice(1).split("?");
    if (words === undefined || decodeURIComponent(at) !== place) return;
    field.value = decodeURIComponent(words);
    filter();
    field.scrollIntoView();
  };
  addEventListener("hashchange", read);
  (table.closest(".scroll") ?? table).before(field);
  read();
}
