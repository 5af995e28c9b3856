// Draws every matrix on its canvas, and describes the cell under the pointer.
for (const canvas of document.querySelectorAll("canvas.matrix")) {
  const status = canvas.nextElementSibling;
  const held = JSON.parse(status.nextElementSibling.textContent);
  const bytes = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0)).buffer;
  const places = new Uint32Array(bytes(held.places));
  const numbers = new window[held.type](bytes(held.numbers));
  const [high, wide] = [held.rows.length, held.columns.length];
  const at = new Map(), sums = new Float64Array(high);
  places.forEach((place, i) => {
    at.set(place, numbers[i]);
    sums[Math.floor(place / wide)] += Math.abs(numbers[i]);
  });
  const side = Math.max(1, Math.floor(1200 / Math.max(high, wide)));
  const dot = Math.max(side, Math.ceil(Math.max(high, wide) / 400)); // cells stay visible in a small picture
  [canvas.width, canvas.height] = [wide * side, high * side];

  const draw = () => {
    const style = getComputedStyle(canvas), brush = canvas.getContext("2d");
    const colors = ["--bad", "--accent"].map((name) => style.getPropertyValue(name));
    brush.clearRect(0, 0, canvas.width, canvas.height);
    for (const hits of [0, 1]) places.forEach((place, i) => { // hits are drawn over errors, so both are visible
      const row = Math.floor(place / wide), column = place % wide;
      if (hits !== Number(!held.confusion || held.rows[row] === held.columns[column])) return;
      brush.fillStyle = colors[hits];
      brush.globalAlpha = 0.2 + 0.8 * Math.abs(numbers[i]) / sums[row];
      brush.fillRect(column * side - (dot - side) / 2, row * side - (dot - side) / 2, dot, dot);
    });
  };
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);

  const cellAt = (event) => [
    Math.min(high - 1, Math.floor(event.offsetY / canvas.clientHeight * high)),
    Math.min(wide - 1, Math.floor(event.offsetX / canvas.clientWidth * wide)),
  ];
  canvas.addEventListener("click", (event) => {
    const [row, column] = cellAt(event);
    const shown = [["truth", held.rows[row]], ["prediction", held.columns[column]]];
    if (held.confusion && document.querySelector("#items")) {
      showItems(shown.map((pair) => pair.map(encodeURIComponent).join("=")).join("&"));
    }
  });
  canvas.addEventListener("pointermove", (event) => {
    const [row, column] = cellAt(event);
    const number = at.get(row * wide + column) ?? 0;
    const share = (100 * Math.abs(number) / (sums[row] || 1)).toFixed(1);
    const text = number.toLocaleString("en", { maximumFractionDigits: 4 });
    status.textContent = `${held.rows[row]} → ${held.columns[column]}: ${text} (${share}%)`;
  });
}
