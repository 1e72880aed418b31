import type { Log } from "./results";

const WIDTH = 920;
const LEFT = 250;
const RIGHT = 70;
const ROW = 26;
const TOP = 64;
/** Larger ratios are cut off. The scale is logarithmic, and the relevant range is near 1. */
const LARGEST = 100;

/**
 * Draws the costs as ratios to the floor, as an SVG: a bar for keyplane, a dot for the naive pattern, a line for the
 * floor.
 */
export function chart(rows: readonly Log[]): string {
  const shown = rows.filter(
    ({ scenario, n }) => n === Math.max(...rows.filter((row) => row.scenario === scenario).map((row) => row.n)),
  );
  const height = TOP + ROW * shown.length + 24;
  const x = (ratio: number) => {
    const at = Math.log(Math.min(Math.max(ratio, 0.8), LARGEST) / 0.8) / Math.log(LARGEST / 0.8);
    return LEFT + at * (WIDTH - LEFT - RIGHT);
  };
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title what"`,
    '  font-family="system-ui, sans-serif" font-size="13" fill="#18181b">',
    '<title id="title">What each scenario costs, as a ratio to the floor</title>',
    '<desc id="what">Bars: keyplane. Dots: the naive pattern. The scale is logarithmic; 1 is the floor.</desc>',
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="${LEFT}" y="22" font-weight="600">Cost as a ratio to the floor (bars: keyplane, dots: the naive pattern)</text>`,
  ];
  for (const ratio of [1, 2, 5, 10, 100]) {
    const at = x(ratio).toFixed(1);
    parts.push(
      `<text x="${at}" y="46" text-anchor="middle" font-size="11" fill="#71717a">${ratio === LARGEST ? `${ratio}+` : ratio}</text>`,
      `<line x1="${at}" y1="52" x2="${at}" y2="${height - 16}" stroke="${ratio === 1 ? "#71717a" : "#e4e4e7"}"/>`,
    );
  }
  shown.forEach((row, index) => {
    const y = TOP + ROW * index;
    const colour = row.met === false ? "#dc2626" : "#2563eb";
    const naive = row.ratioToNaive === null ? undefined : x(row.ratioToFloor / row.ratioToNaive);
    const end = x(row.ratioToFloor);
    // Moves the number next to the dot if they would overlap.
    const hidden = naive !== undefined && naive > end - 6 && naive < end + 36;
    const figureAt = hidden ? naive + 10 : end + 6;
    parts.push(
      `<text x="${LEFT - 12}" y="${y + 13}" text-anchor="end">${row.scenario} ${row.n > 1 ? row.n : ""}${row.rttMs > 0 ? `, ${row.rttMs} ms` : ""}</text>`,
      `<rect x="${x(0.8).toFixed(1)}" y="${y + 2}" width="${(end - x(0.8)).toFixed(1)}" height="14" rx="3" fill="${colour}"/>`,
      `<text x="${figureAt.toFixed(1)}" y="${y + 13}" font-size="11">${row.ratioToFloor.toFixed(2)}</text>`,
    );
    if (naive !== undefined) {
      parts.push(`<circle cx="${naive.toFixed(1)}" cy="${y + 9}" r="5" fill="#b45309"/>`);
    }
  });
  return [...parts, "</svg>", ""].join("\n");
}
