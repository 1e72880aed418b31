/**
 * Formats rows in columns: the first column left-aligned, numbers right-aligned.
 *
 * @param {string[]} head
 * @param {string[][]} rows
 * @returns {string[]} the lines.
 */
export function table(head, rows) {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length)));
  const line = (row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join("  ");
  return [line(head), widths.map((width) => "-".repeat(width)).join("  "), ...rows.map(line)];
}
