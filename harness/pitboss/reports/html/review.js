// Keys and stepping; every page can be read and every form sent without it.
"use strict";

const isTyping = (at) => at.isContentEditable || ["TEXTAREA", "SELECT"].includes(at.tagName) ||
  (at.tagName === "INPUT" && !["checkbox", "submit", "button"].includes(at.type));

// What somebody has switched off stays off on the next page.
const keysOn = document.getElementById("keys-on");
const STORED = "pitboss review: keys";
try {
  if (keysOn) keysOn.checked = localStorage.getItem(STORED) !== "off";
} catch { /* a browser may keep nothing */ }
keysOn?.addEventListener("change", () => {
  try {
    localStorage.setItem(STORED, keysOn.checked ? "on" : "off");
  } catch { /* as above */ }
});

// Stepping through a conversation: what comes later is hidden until it is asked for.
const list = document.querySelector("[data-steps]");
let step = () => {};
if (list && list.children.length > 1) {
  const steps = [...list.children];
  let shown = steps.length;
  const bar = document.createElement("div");
  bar.className = "stepping";
  const said = document.createElement("span");
  said.setAttribute("role", "status");
  const show = (count) => {
    shown = Math.min(Math.max(count, 1), steps.length);
    steps.forEach((one, at) => { one.hidden = at >= shown; });
    said.textContent = shown === steps.length ? `All ${shown} steps` : `Step ${shown} of ${steps.length}`;
    if (shown < steps.length) steps[shown - 1].scrollIntoView({block: "nearest"});
  };
  const button = (text, act) => {
    const one = document.createElement("button");
    one.type = "button";
    one.textContent = text;
    one.addEventListener("click", act);
    bar.append(one);
  };
  step = (by) => show(shown === steps.length && by > 0 ? 1 : shown + by);
  button("From the start", () => show(1));
  button("Step back (p)", () => step(-1));
  button("Step on (n)", () => step(1));
  const parting = steps.findIndex((one) => one.classList.contains("parts"));
  if (parting >= 0) button("To where it parts", () => show(parting + 1));
  button("All", () => show(steps.length));
  bar.append(said);
  list.before(bar);
  show(steps.length);
}

const focusOn = (id) => {
  const field = document.getElementById(id);
  field?.focus();
  return Boolean(field);
};

function act(key) {
  if (key === "?") {
    const help = document.getElementById("keys");
    if (help) { help.open = !help.open; help.querySelector("summary").focus(); }
    return Boolean(help);
  }
  if (key === "c") return focusOn("comment");
  if (key === "o") return focusOn("override");
  if (key === "r") return focusOn("rubric");
  if (/^[0-9]$/.test(key)) {
    const field = document.getElementById("style");
    if (field) { field.value = `${key === "0" ? 100 : 10 * key}%`; field.focus(); field.blur(); }
    return Boolean(field);
  }
  if (key === "n" || key === "p") { step(key === "n" ? 1 : -1); return Boolean(list); }
  const target = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (!target) return false;
  if (target.tagName === "INPUT") target.focus(); else target.click();
  return true;
}

// The number of a line leads to a page with its place filled in; here it is filled in, and what was typed stays.
document.querySelectorAll(".code .gutter a").forEach((one) => one.addEventListener("click", (event) => {
  const place = new URL(one.href).searchParams;
  document.getElementById("file").value = place.get("file");
  document.getElementById("line").value = place.get("line");
  focusOn("line-comment");
  event.preventDefault();
}));

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
  if (event.key === "Escape" && isTyping(event.target)) { event.target.blur(); return; }
  if (isTyping(event.target) || (keysOn && !keysOn.checked)) return;
  if (act(event.key)) event.preventDefault();
});
