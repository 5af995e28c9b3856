// Sorts tables by a clicked column and filters them. The address keeps the filter of a section:
// #items?truth=cat&score=0.5..0.6&rain shows rows with these values in the columns truth and score,
// and with the word rain in any column. The name label is the truth or the prediction. A name without a
// value, as of a cell of objects without a match, filters nothing.
const plain = text => { try { return decodeURIComponent(text); } catch { return text; } };
const parsed = text => text.split("&").filter(Boolean).map(part => {
  const at = part.indexOf("=");
  return at < 0 ? {words: plain(part)} : {name: plain(part.slice(0, at)), value: plain(part.slice(at + 1))};
}).filter(one => one.words || one.value);
const numberOf = text => /^[-+]?[\d,.]+(e[-+]?\d+)?( ± .*)?[¹²³⁴⁵⁶⁷⁸⁹⁰]*$/i.test(text)
  ? parseFloat(text.replaceAll(",", "")) : NaN;
const made = (tag, name, text = "") => {
  const found = document.createElement(tag);
  if (name) found.className = name;
  found.textContent = text;
  return found;
};
const counted = count => count.toLocaleString("en");

// Returns a function that says whether the texts of a row fulfil a condition.
const fulfils = ({words, name, value}, titles) => {
  if (words !== undefined) {
    const each = words.toLowerCase().split(/\s+/);
    return texts => { const all = texts.join(" ").toLowerCase(); return each.every(word => all.includes(word)); };
  }
  const find = title => titles.findIndex(one => one.toLowerCase() === title.toLowerCase());
  const places = find(name) < 0 && name === "label" ? [find("truth"), find("prediction")] : [find(name)];
  const [low, high] = /^-?[\d.e-]*\.\.-?[\d.e-]*$/.test(value) ? value.split(/\.\.(?!\.)/).map(parseFloat) : [NaN, NaN];
  if (!isNaN(low) && !isNaN(high)) return texts => places.some(at => {
    const number = numberOf(texts[at] ?? "");
    return low <= number && number <= high;
  });
  // a cell with several labels lists them, with counts or shares: cat: 2, dog: 1
  const labels = text => text.split(", ").map(one => one.replace(/: [\d.,]+( %)?$/, ""));
  return texts => places.some(at => texts[at] === value || labels(texts[at] ?? "").includes(value));
};

for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0], heads = table.tHead?.rows[0]?.cells;
  const section = table.closest("section");
  const held = section?.querySelector("script.rows");
  if (!heads || !body || (body.rows.length < 3 && !held)) continue;
  const titles = [...heads].map(head => head.textContent.trim());
  const panels = new Map([...section?.querySelectorAll("template[data-item]") ?? []].map(one => [Number(one.dataset.item), one]));
  // a row is a list of texts and an element, which is made when it is shown
  const rows = held
    ? JSON.parse(held.textContent).map((texts, at) => ({at, texts: texts.map(one => Array.isArray(one) ? one[0] : one), tones: texts}))
    : [...body.rows].map(element => ({element, texts: [...element.cells].map(cell => cell.textContent.trim())}));
  const most = held ? 100 : Infinity;
  let chosen = [], order = rows, shown = most;

  const opens = row => {
    const button = made("button", "open", row.texts[0]);
    button.ariaExpanded = "false";
    button.addEventListener("click", () => {
      const isOpen = button.ariaExpanded === "true";
      button.ariaExpanded = String(!isOpen);
      if (isOpen) return row.element.nextElementSibling.remove();
      const panel = made("tr", "panel"), cell = panel.insertCell();
      cell.colSpan = titles.length;
      cell.append(panels.get(row.at).content.cloneNode(true));
      row.element.after(panel);
    });
    return button;
  };
  const elementOf = row => {
    if (row.element) return row.element;
    row.element = document.createElement("tr");
    row.texts.forEach((text, at) => {
      const cell = made(at ? "td" : "th", heads[at].classList.contains("n") ? "n" : "");
      if (Array.isArray(row.tones[at])) cell.classList.add(row.tones[at][1]);
      if (at) { cell.textContent = text; cell.dataset.name = titles[at]; }
      else { cell.scope = "row"; cell.append(panels.has(row.at) ? opens(row) : text); }
      row.element.append(cell);
    });
    return row.element;
  };
  const status = made("p", "caption found"), more = made("button", "more");
  status.role = "status";
  const draw = () => {
    const tests = chosen.map(one => fulfils(one, titles));
    const found = tests.length ? order.filter(row => tests.every(test => test(row.texts))) : order;
    for (const open of body.querySelectorAll("[aria-expanded=true]")) open.ariaExpanded = "false";
    body.replaceChildren(...found.slice(0, shown).map(elementOf));
    status.textContent = tests.length ? `${counted(found.length)} of ${counted(rows.length)}` : "";
    more.hidden = found.length <= shown;
    more.textContent = `Show ${counted(Math.min(most, found.length - shown))} more of ${counted(found.length)}`;
  };
  more.addEventListener("click", () => { shown += most; draw(); });

  const before = (a, b) => {
    const m = numberOf(a), n = numberOf(b);
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
      order = turn ? [...rows].sort((a, b) => {
        const x = a.texts[at] ?? "", y = b.texts[at] ?? "";
        // cells without a number come last in both directions
        const missing = numeric && isNaN(numberOf(x)) !== isNaN(numberOf(y));
        return missing ? before(x, y) : sign * before(x, y);
      }) : rows;
      draw();
    };
    head.addEventListener("click", sort);
    head.addEventListener("keydown", event => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); sort(); }
    });
  });
  if (rows.length < 13 && !held) continue;

  const field = made("input", "filter"), chips = made("div", "chips");
  field.type = "search";
  field.placeholder = `Filter ${counted(rows.length)} ${held ? "items" : "rows"}`;
  field.setAttribute("aria-label", field.placeholder);
  const place = section?.id ?? "";
  const write = () => {
    const parts = chosen.map(one => one.name === undefined
      ? encodeURIComponent(one.words) : `${encodeURIComponent(one.name)}=${encodeURIComponent(one.value)}`);
    history.replaceState(null, "", `#${place}${parts.length ? `?${parts.join("&")}` : ""}`);
  };
  const show = () => {
    shown = most;
    chips.replaceChildren(...chosen.filter(one => one.name !== undefined).map(one => {
      const chip = made("button", "chip", `${one.name}: ${one.value} ✕`);
      chip.setAttribute("aria-label", `Remove the filter ${one.name}: ${one.value}`);
      chip.addEventListener("click", () => {
        chosen = chosen.filter(other => other !== one);
        write();
        show();
        field.focus();
      });
      return chip;
    }));
    draw();
  };
  field.addEventListener("input", () => {
    chosen = chosen.filter(one => one.name !== undefined);
    if (field.value.trim()) chosen.push({words: field.value.trim()});
    write();
    show();
  });
  const read = () => {
    const [at, ...rest] = location.hash.slice(1).split("?");
    if (plain(at) !== place || !place) return;
    chosen = parsed(rest.join("?"));
    field.value = chosen.filter(one => one.name === undefined).map(one => one.words).join(" ");
    show();
    if (rest.length) (section ?? field).scrollIntoView();
  };
  addEventListener("hashchange", read);
  // a second click on a link leaves the address as it is
  addEventListener("click", event => { if (event.target.closest?.("a")?.getAttribute("href") === location.hash) read(); });
  (table.closest(".scroll") ?? table).before(field, chips, status);
  (table.closest(".scroll") ?? table).after(more);
  if (held) draw(); else more.hidden = true;
  read();
}

// shows filtered items on this page, or on the page that a link with this id leads to
const showItems = query => {
  const {href} = document.querySelector("#items");
  if (href) location.href = `${href}?${query}`; else location.hash = `items?${query}`;
};
