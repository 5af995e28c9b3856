// Keys for the previous and the next page or item, and sliders that evaluate while they move.
addEventListener("keydown", event => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select")) return;
  const rel = {ArrowLeft: "prev", ArrowRight: "next"}[event.key];
  if (rel && !event.target.closest(".scroll")) document.querySelector(`a[rel=${rel}]`)?.click();
});
const form = document.getElementById("thresholds");
if (form) {
  let waiting, running;
  const evaluate = async () => {
    running?.abort();
    running = new AbortController();
    const shown = document.getElementById("numbers");
    const given = [...new FormData(form)].filter(([, value]) => value.trim());
    const address = `thresholds?${new URLSearchParams(given)}`;
    shown.setAttribute("aria-busy", "true");
    try {
      const reply = await fetch(address, {signal: running.signal});
      const page = new DOMParser().parseFromString(await reply.text(), "text/html");
      const numbers = page.getElementById("numbers") ?? page.querySelector("section");
      shown.replaceChildren(...numbers.childNodes);
      history.replaceState(null, "", address);
    } catch (error) {
      if (error.name === "AbortError") return;
      shown.textContent = "The viewer does not answer. Start it again with: valor view";
    }
    shown.removeAttribute("aria-busy");
  };
  const soon = () => { clearTimeout(waiting); waiting = setTimeout(evaluate, 120); };
  for (const field of form.querySelectorAll("input[data-low]")) {
    const slider = document.createElement("input");
    slider.type = "range";
    slider.min = field.dataset.low;
    slider.max = field.dataset.high;
    slider.step = 0.01;
    slider.value = field.value || field.placeholder || 0.5;
    slider.setAttribute("aria-label", field.parentElement.firstChild.textContent.trim());
    slider.addEventListener("input", () => { field.value = slider.value; soon(); });
    field.addEventListener("input", () => { if (field.value) slider.value = field.value; soon(); });
    field.after(slider);
  }
  form.addEventListener("submit", event => { event.preventDefault(); evaluate(); });
}
