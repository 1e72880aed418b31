/** Number of columns of a stream's terminal: 80 if the terminal does not report it, no limit without a terminal. */
export function terminalColumns(stream: { readonly isTTY?: boolean; readonly columns?: number }): number {
  return stream.isTTY ? stream.columns || 80 : Number.POSITIVE_INFINITY;
}
