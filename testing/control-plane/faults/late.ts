/** Effects that are committed after their clients gave up. */
export class LateCommits {
  private pending: { due: number; commit: () => void }[] = [];

  /** @param due - Time on the clock's timeline. Infinity means only when a control call commits it. */
  add(due: number, commit: () => void): void {
    this.pending.push({ due, commit });
  }

  /** Commits what is due, oldest first. Returns how many. */
  run(timeline: number): number {
    const due = this.pending.filter((late) => late.due <= timeline);
    this.pending = this.pending.filter((late) => late.due > timeline);
    for (const { commit } of due) commit();
    return due.length;
  }

  /** Discards all uncommitted effects. */
  clear(): void {
    this.pending = [];
  }
}
