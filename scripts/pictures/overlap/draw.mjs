const WIDTH = 920;
const LEFT = 92;
const RIGHT = 20;
const COLOURS = ["#2563eb", "#059669", "#b45309", "#7c3aed"];
const ROW = 34;

/**
 * Draws a run as SVG: a bar for the life of each key, a stroke for each call of an application in the color of its key
 * (red if it failed), and what each `up` did.
 */
export function draw({ log, runs, hourOf, end }) {
  const x = (hour) => (LEFT + (hour / end) * (WIDTH - LEFT - RIGHT)).toFixed(1);
  const keys = livesOf(log, hourOf, end);
  const apps = callsOf(log, hourOf);
  const colourOf = (id) => COLOURS[keys.findIndex((key) => key.id === id) % COLOURS.length] ?? "#dc2626";
  const parts = [];

  const bottom = 56 + ROW * (keys.length + apps.size) + 14;
  for (const run of runs) {
    parts.push(
      `<line x1="${x(run.hour)}" y1="44" x2="${x(run.hour)}" y2="${bottom}" stroke="#d4d4d8" stroke-dasharray="3 4"/>`,
    );
  }
  keys.forEach(({ id, from, to, isAlive }, row) => {
    const y = 56 + ROW * row;
    const arrow = isAlive ? "" : `<circle cx="${x(to)}" cy="${y + 9}" r="5" fill="#fff" stroke="${colourOf(id)}"/>`;
    parts.push(
      label(y + 14, `key ${row + 1}`),
      `<rect x="${x(from)}" y="${y}" width="${(x(to) - x(from)).toFixed(1)}" height="18" rx="4" fill="${colourOf(id)}"/>`,
      arrow,
    );
  });
  [...apps].forEach(([app, calls], index) => {
    const y = 56 + ROW * (keys.length + index);
    parts.push(label(y + 14, app));
    for (const { hour, keyId, failed } of calls) {
      const colour = failed ? "#dc2626" : colourOf(keyId);
      parts.push(
        `<line x1="${x(hour)}" y1="${y + 2}" x2="${x(hour)}" y2="${y + 16}" stroke="${colour}" stroke-width="3"/>`,
      );
    }
  });
  for (const run of runs) {
    const lines = formatRun(run, log, hourOf, keys);
    lines.forEach((line, index) => {
      parts.push(
        `<text x="${x(run.hour)}" y="${bottom + 18 + index * 15}" ${anchor(run.hour)} font-size="11">${line}</text>`,
      );
    });
    parts.push(
      `<text x="${x(run.hour)}" y="38" ${anchor(run.hour)} font-size="11" fill="#71717a">${run.hour} h</text>`,
    );
  }
  const height = bottom + 72;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title what"`,
    '  font-family="system-ui, sans-serif" font-size="13" fill="#18181b">',
    '<title id="title">Two rotations with an overlap</title>',
    '<desc id="what">Bars: the lives of keys. Strokes: calls of two applications that restart late, each in the colour',
    "of the key that it used. Below: what each pulumi up did.</desc>",
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="${LEFT}" y="18" font-weight="600">Each call of an application, in the colour of the key that it used</text>`,
    ...parts.filter((part) => part !== ""),
    "</svg>",
    "",
  ].join("\n");
}

/** The lifetimes of the created keys, oldest first. */
function livesOf(log, hourOf, end) {
  const keys = [];
  for (const { at, effects } of log) {
    for (const { kind, id } of effects) {
      if (kind === "key-created") keys.push({ id, from: hourOf(at), to: end, isAlive: true });
      const key = kind === "key-revoked" ? keys.find((each) => each.id === id) : undefined;
      if (key !== undefined) Object.assign(key, { to: hourOf(at), isAlive: false });
    }
  }
  return keys;
}

function callsOf(log, hourOf) {
  const apps = new Map();
  for (const { at, query, status, keyId } of log) {
    const app = new URLSearchParams(query).get("search");
    if (app === null) continue;
    apps.set(app, [...(apps.get(app) ?? []), { hour: hourOf(at), keyId, failed: status !== 200 }]);
  }
  return apps;
}

/** Describes what an `up` did, according to the log. */
function formatRun({ hour, asked, kept }, log, hourOf, keys) {
  const number = (id) => keys.findIndex((key) => key.id === id) + 1;
  const done = log
    .filter(({ at }) => hourOf(at) >= hour && hourOf(at) < hour + 1)
    .flatMap(({ effects }) => effects)
    .map(({ kind, id }) => (kind === "key-created" ? `makes key ${number(id)}` : `revokes key ${number(id)}`));
  if (kept) return ["up", "key in use:", "is kept"];
  if (done.length > 0) return ["up", ...done];
  return asked ? ["up", "rotation", "is queued"] : ["up", "nothing"];
}

function label(y, text) {
  return `<text x="${LEFT - 14}" y="${y}" text-anchor="end">${text}</text>`;
}

function anchor(hour) {
  return hour === 0 ? 'text-anchor="start"' : 'text-anchor="middle"';
}
