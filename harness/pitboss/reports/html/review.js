// Keys and stepping. Without this script every page can be read too, and every form can be sent.
"use strict";

const isTyping = (at) => at.isContentEditable || ["TEXTAREA", "SELECT"].includes(at.tagName) ||
  (at.tagName === "INPUT" && !["checkbox", "submit", "button"].includes(at.type));

// If somebody has switched the keys off, they stay off on the next page.
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

// Stepping through a conversation: later steps are hidden.
const list = document.querySelector("[data-steps]");
let step = () => {};
if (list && list.children.length > 1) {
  const steps = [...list.children];
  let shownCount = steps.length;
  const bar = document.createElement("div");
  bar.className = "stepping";
  const status = document.createElement("span");
  status.setAttribute("role", "status");
  const show = (count) => {
    shownCount = Math.min(Math.max(count, 1), steps.length);
    steps.forEach((item, index) => { item.hidden = index >= shownCount; });
    const hasHidden = shownCount < steps.length;
    status.textContent = hasHidden ? `Step ${shownCount} of ${steps.length}` : `All ${shownCount} steps`;
    if (hasHidden) steps[shownCount - 1].scrollIntoView({block: "nearest"});
  };
  const button = (text, act) => {
    const element = document.createElement("button");
    element.type = "button";
    element.textContent = text;
    element.addEventListener("click", act);
    bar.append(element);
  };
  // While the whole conversation is shown, “Step on” begins again at the first step.
  step = (by) => show(shownCount === steps.length && by > 0 ? 1 : shownCount + by);
  button("From the start", () => show(1));
  button("Step back (p)", () => step(-1));
  button("Step on (n)", () => step(1));
  const parting = steps.findIndex((item) => item.classList.contains("parts"));
  if (parting >= 0) button("To the first difference", () => show(parting + 1));
  button("All", () => show(steps.length));
  bar.append(status);
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

// The link at a line number leads to this page with the file and the line filled in. The script fills them in without
// loading the page again, so that text in the form stays.
document.querySelectorAll(".code .gutter a").forEach((link) => link.addEventListener("click", (event) => {
  const place = new URL(link.href).searchParams;
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
