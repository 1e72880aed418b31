/** Effects that are committed after their request was given up. */
export class LateCommits {
  private pending: { due: number; commit: () => void }[] = [];

  /** @param due - Moment of the clock's timeline; infinity = only when a control call says so. */
  add(due: number, commit: () => void): void {
    this.pending.push({ due, commit });
  }

  /** Commits what is due, oldest first; answers how many. */
  run(timeline: number): number {
    const due = this.pending.filter((late) => late.due <= timeline);
    this.pending = this.pending.filter((late) => late.due > timeline);
    for (const { commit } of due) commit();
    return due.length;
  }

  /** Forgets what is not committed yet. */
  clear(): void {
    this.pending = [];
  }
}
