/** Columns of the terminal behind a stream: 80 where it does not tell them, no limit where there is no terminal. */
export function terminalColumns(stream: { readonly isTTY?: boolean; readonly columns?: number }): number {
  return stream.isTTY ? stream.columns || 80 : Number.POSITIVE_INFINITY;
}
