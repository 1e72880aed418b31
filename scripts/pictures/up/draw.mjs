const LEFT = 18;
const TOP = 44;
const LINE = 19;
const LETTER = 7.8;
const COLOURS = { 2: "#8b949e", 31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 35: "#d2a8ff" };
const PAUSE_MS = 3000;
const LAST_PAUSE_MS = 6000;
// A static snapshot of the first moment shows the end too.
const FIRST_LOOK_MS = 1500;

/**
 * Draws runs in a terminal as an animated SVG. It briefly shows the end of the last run, then plays all runs in a loop.
 * Without animation support, it shows the end of the last run.
 * @param scenes Each has a `title` and `frames`: the screen's `lines`, and the time `at` which they appear, in ms.
 */
export function draw({ scenes, columns }) {
  const shown = schedule(scenes);
  const total = shown.at(-1).to;
  const rows = Math.max(...scenes.flatMap(({ frames }) => frames.map(({ lines }) => lines.length)));
  const [width, height] = [Math.ceil(LEFT * 2 + columns * LETTER), TOP + rows * LINE + 8];

  const intervals = Object.values(groupedByTime(runsOf(shown)));
  const groups = intervals.map((lines, index) => {
    const opacity = lines[0].to === total ? "" : ' opacity="0"';
    return `<g class="k${index}"${opacity}>${lines.map(({ row, markup }) => textAt(row, markup)).join("")}</g>`;
  });
  const styles = intervals.map(([{ from, to }], index) => {
    const [start, end] = [from, to].map((ms) => `${((ms / total) * 100).toFixed(2)}%`);
    const steps = [from > 0 && "0%{opacity:0}", `${start}{opacity:1}`, to < total && `${end}{opacity:0}`];
    return `.k${index}{animation-name:k${index}}@keyframes k${index}{${steps.filter(Boolean).join("")}}`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title what" xml:space="preserve"`,
    '  font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13" fill="#e6edf3">',
    `<title id="title">${scenes.map(({ title }) => escaped(title)).join("; ")}</title>`,
    '<desc id="what">A recording of real runs: each resource has a row, which says what is done and waited for.</desc>',
    "<style>",
    `@media (prefers-reduced-motion:no-preference){g{animation:${total}ms step-end ${FIRST_LOOK_MS - total}ms infinite}`,
    `${styles.join("\n")}}`,
    "</style>",
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117" stroke="#30363d"/>`,
    ...["#ff5f57", "#febc2e", "#28c840"].map((c, i) => `<circle cx="${20 + i * 18}" cy="18" r="5.5" fill="${c}"/>`),
    ...groups,
    "</svg>",
    "",
  ].join("\n");
}

/** Puts all frames on one timeline, each with the markup of its rows. Row -1 is the title. */
function schedule(scenes) {
  const shown = [];
  let start = 0;
  scenes.forEach(({ title, frames }, index) => {
    const pause = index === scenes.length - 1 ? LAST_PAUSE_MS : PAUSE_MS;
    const end = start + frames.at(-1).at + pause;
    frames.forEach(({ at, lines }, frame) => {
      const to = frame + 1 < frames.length ? start + frames[frame + 1].at : end;
      const markup = new Map(lines.map((spans, row) => [row, spans.map(spanOf).join("")]));
      shown.push({ from: start + at, to, markup: markup.set(-1, escaped(title)) });
    });
    start = end;
  });
  return shown.filter(({ from, to }) => from < to);
}

/** Finds the time spans in which each text stays unchanged in its row. */
function runsOf(shown) {
  const done = [];
  const open = new Map();
  for (const { from, to, markup } of shown) {
    for (const [row, run] of open) {
      if (markup.get(row) === run.markup) continue;
      done.push(run);
      open.delete(row);
    }
    for (const [row, text] of markup) {
      if (text === "") continue;
      open.set(row, { row, markup: text, from: open.get(row)?.from ?? from, to });
    }
  }
  return [...done, ...open.values()];
}

/** Groups what appears and disappears at the same time. */
function groupedByTime(runs) {
  const groups = {};
  for (const run of runs) {
    const time = `${run.from} ${run.to}`;
    groups[time] = [...(groups[time] ?? []), run];
  }
  return groups;
}

function textAt(row, markup) {
  if (row < 0) return `<text x="${LEFT + 62}" y="22.5" fill="#8b949e">${markup}</text>`;
  return `<text x="${LEFT}" y="${TOP + row * LINE + 14}">${markup}</text>`;
}

function spanOf({ text, code }) {
  // Some renderers collapse spaces despite xml:space, but none collapses no-break spaces.
  const kept = escaped(text).replaceAll(" ", "\u00a0");
  if (code === "1") return `<tspan font-weight="600">${kept}</tspan>`;
  return COLOURS[code] === undefined ? kept : `<tspan fill="${COLOURS[code]}">${kept}</tspan>`;
}

function escaped(text) {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
