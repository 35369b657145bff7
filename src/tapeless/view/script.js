"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const panes = [byId("source"), byId("derivative")];
  const lines = [...document.querySelectorAll(".line")];
  const main = document.querySelector("main");
  const ribbons = byId("ribbons");
  const told = byId("told");
  let kept = null;   // the line that stays lit
  let part = null;   // of it, the line that a part under the pointer comes from

  // A line that continues a statement stands for the one on which it begins.
  const first = (line) => (line.dataset.as && byId(line.dataset.as)) || line;
  const followers = new Map();
  for (const line of lines) {
    const begin = first(line);
    if (begin !== line) followers.set(begin, [...(followers.get(begin) || []), line]);
  }
  const links = (line) => (first(line).dataset.links || "").split(" ").filter(Boolean).map(byId);
  const paneOf = (line) => panes.find((pane) => pane.contains(line));
  const linked = (line) => links(line).length > 0;

  function clear() {
    for (const node of document.querySelectorAll(".lit, .here, .exact")) node.classList.remove("lit", "here", "exact");
    ribbons.replaceChildren();
  }

  function light(line, only) {
    clear();
    if (!line || !linked(line)) return;
    const begin = first(line);
    for (const own of [begin, ...(followers.get(begin) || [])]) own.classList.add("here");
    for (const other of links(line)) {
      other.classList.add("lit");
      for (const more of followers.get(other) || []) more.classList.add("lit");
      for (const piece of other.querySelectorAll(".part")) piece.classList.toggle("exact", piece.dataset.from === begin.id);
    }
    const several = new Set(links(line)).size > 1;
    if (only && several && byId(only)) {
      byId(only).classList.add("exact");
      for (const piece of line.querySelectorAll(".part")) piece.classList.toggle("exact", piece.dataset.from === only);
    }
    drawn = [begin, links(line)];
    draw();
  }

  // Ribbons between the panes, as wide as the lines that they join.
  let drawn = null;
  function draw() {
    ribbons.replaceChildren();
    if (!drawn || !document.querySelector(".here") || getComputedStyle(ribbons).display === "none") return;
    const [begin, others] = drawn;
    const frame = main.getBoundingClientRect();
    const edges = panes.map((pane) => pane.getBoundingClientRect());
    const left = edges[0].right - frame.left, right = edges[1].left - frame.left;
    const spanOf = (line) => {
      const box = line.getBoundingClientRect();
      const pane = paneOf(line).getBoundingClientRect();
      const top = Math.min(Math.max(box.top, pane.top + 24), pane.bottom - 2);
      const bottom = Math.min(Math.max(box.bottom, pane.top + 26), pane.bottom);
      return [top - frame.top, Math.max(bottom, top + 2) - frame.top];
    };
    const ends = [begin, ...(followers.get(begin) || [])].map(spanOf);
    const own = [Math.min(...ends.map((e) => e[0])), Math.max(...ends.map((e) => e[1]))];
    const middle = (left + right) / 2;
    for (const other of others) {
      const there = spanOf(other);
      const [a, b] = paneOf(begin) === panes[0] ? [own, there] : [there, own];
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("d", `M${left} ${a[0]}C${middle} ${a[0]} ${middle} ${b[0]} ${right} ${b[0]}` +
        `L${right} ${b[1]}C${middle} ${b[1]} ${middle} ${a[1]} ${left} ${a[1]}Z`);
      ribbons.append(path);
    }
  }
  for (const pane of panes) pane.addEventListener("scroll", draw, { passive: true });
  for (const code of document.querySelectorAll(".code")) code.addEventListener("scroll", draw, { passive: true });
  window.addEventListener("resize", draw);

  function reveal(line) {
    const others = links(line);
    const pane = others.length && paneOf(others[0]);
    if (!pane) return;
    const frame = pane.getBoundingClientRect();
    const visible = (other) => {
      const box = other.getBoundingClientRect();
      return box.top >= frame.top + 24 && box.bottom <= frame.bottom;
    };
    if (others.some(visible)) return;
    const box = others[0].getBoundingClientRect();
    pane.scrollTo({ top: pane.scrollTop + box.top - frame.top - frame.height / 3 });
  }

  const showKept = () => light(kept, null);
  function keep(line) {
    if (kept) kept.setAttribute("aria-selected", "false");
    kept = line && line !== kept && linked(line) ? line : null;
    if (kept) {
      kept.setAttribute("aria-selected", "true");
      reveal(kept);
    }
    showKept();
  }

  // With the pointer
  main.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch" || kept) return;
    const line = event.target.closest(".line");
    const piece = event.target.closest(".part");
    light(line, piece && piece.dataset.from);
  });
  main.addEventListener("pointerleave", () => { if (!kept) { clear(); drawn = null; } });
  main.addEventListener("click", (event) => {
    const line = event.target.closest(".line");
    if (!line || String(getSelection())) return;
    step(line, false);
    keep(line);
  });

  // With the keyboard: one line of each list can be reached by Tab, the others by arrows.
  const lists = [...document.querySelectorAll(".code")];
  const inOrder = panes.map((pane) => lines.filter((line) => pane.contains(line) && line.querySelector("code").textContent.trim()));
  for (const list of lists) {
    const start = [...list.querySelectorAll(".line")].find(linked) || list.querySelector(".line");
    if (start) start.tabIndex = 0;
  }
  function step(line, focus = true) {
    for (const other of line.parentElement.children) other.tabIndex = -1;
    line.tabIndex = 0;
    if (focus) line.focus();
  }
  main.addEventListener("focusin", (event) => {
    const line = event.target.closest(".line");
    if (!line || !line.matches(":focus-visible") || kept) return;
    light(line, null);
    reveal(line);
  });
  main.addEventListener("keydown", (event) => {
    const line = event.target.closest(".line");
    if (!line || event.ctrlKey || event.metaKey || event.altKey) return;
    const side = panes.indexOf(paneOf(line));
    const own = inOrder[side];
    const at = own.indexOf(line);
    const moves = {
      ArrowDown: () => step(own[Math.min(at + 1, own.length - 1)]),
      ArrowUp: () => step(own[Math.max(at - 1, 0)]),
      Home: () => step(own[0]),
      End: () => step(own[own.length - 1]),
      ArrowRight: () => side === 0 && linked(line) && step(links(line)[0]),
      ArrowLeft: () => side === 1 && linked(line) && step(links(line)[0]),
      Enter: () => keep(line),
      " ": () => keep(line),
      Escape: () => { keep(null); light(line, null); },
    };
    if (!moves[event.key]) return;
    event.preventDefault();
    moves[event.key]();
    const now = document.activeElement.closest(".line");
    if (event.key === "Enter" || event.key === " ") told.textContent = kept ? now.querySelector(".said")?.textContent.slice(2) || "" : "let go";
  });

  // Light and dark
  const root = document.documentElement;
  const button = byId("theme");
  const names = { auto: "as the system says", light: "light", dark: "dark" };
  function show(theme) {
    root.dataset.theme = theme;
    button.querySelector(".word").textContent = theme[0].toUpperCase() + theme.slice(1);
    button.setAttribute("aria-label", `Colours: ${names[theme]}`);
    try { localStorage.setItem("tapeless-theme", theme); } catch { /* a frame without storage */ }
  }
  button.addEventListener("click", () => {
    const order = Object.keys(names);
    show(order[(order.indexOf(root.dataset.theme) + 1) % order.length]);
  });
  try { if (localStorage.getItem("tapeless-theme") in names) show(localStorage.getItem("tapeless-theme")); } catch { /* the same */ }

  // The panes share the width as their longest lines ask; where that is too much, the source comes first,
  // up to one half. Lines that have nothing on the other side, such as docstrings, ask for nothing.
  const asked = (pane) => {
    const shown = [...pane.querySelectorAll(".line:not(.idle)")];
    return Math.max(...shown.map((line) => line.querySelector("code").textContent.length), 30) + 10;
  };
  const [ours, theirs] = panes.map(asked);
  const share = Math.min(ours / (ours + theirs), .6);
  main.style.setProperty("--left", `max(min(${ours * 7.85}px, 48%), ${share * 100 - 2}%)`);
})();
