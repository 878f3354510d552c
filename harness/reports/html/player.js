// Plays a conversation: its parts come one after the other, as fast as in the session. Without this script all stand there.
"use strict";
for (const conversation of document.querySelectorAll("pre.conversation")) {
  const parts = [...conversation.children];
  const isStill = matchMedia("(prefers-reduced-motion: reduce)");
  const button = document.createElement("button");
  let next = parts.length, timer = 0;

  const show = (part, isShown) => { part.style.visibility = isShown ? "" : "hidden"; };
  const name = (words) => {
    button.textContent = words;
    button.setAttribute("aria-label", `${words}: ${conversation.dataset.case}`);
  };
  const end = () => {
    clearTimeout(timer);
    timer = 0;
    next = parts.length;
    parts.forEach((part) => show(part, true));
    name("Play this session");
  };
  const showNext = () => {
    show(parts[next], true);
    next += 1;
    if (next === parts.length) end();
  };
  const begin = () => {
    next = 0;
    parts.forEach((part) => show(part, false));
  };
  const play = () => {
    showNext();
    if (next < parts.length) timer = setTimeout(play, Number(parts[next].dataset.wait));
  };

  button.type = "button";
  button.className = "play";
  name("Play this session");
  button.addEventListener("click", () => {
    if (timer) {
      end();
    } else if (isStill.matches) {
      // Nothing moves by itself for whoever wants that: each press shows what comes up to the next typed line.
      if (next === parts.length) begin();
      do { showNext(); } while (next < parts.length && !parts[next].classList.contains("typed"));
      if (next < parts.length) name("Show what comes next");
    } else {
      begin();
      name("Stop, and show all of it");
      play();
    }
  });
  conversation.before(button);
}
