/** Sets of resources named on the command line. */

/** Some URNs and patterns: `*` stands for anything but `:`, `**` for anything. Empty means no limit: it has every URN. */
export class Targets {
  private readonly urns: Set<string>;
  private readonly patterns: readonly RegExp[];

  constructor(private readonly named: readonly string[]) {
    this.urns = new Set(named.filter((name) => !name.includes("*")));
    this.patterns = named.filter((name) => name.includes("*")).map(patternOf);
  }

  /** Whether anything was named. */
  get limited(): boolean {
    return this.urns.size > 0 || this.patterns.length > 0;
  }

  /** The URNs named in full. */
  get literals(): readonly string[] {
    return [...this.urns];
  }

  /** Whether a URN is in the set. */
  has(urn: string): boolean {
    return !this.limited || this.urns.has(urn) || this.patterns.some((pattern) => pattern.test(urn));
  }

  /** Adds a URN. A set without limit stays so. */
  add(urn: string): void {
    if (this.limited) this.urns.add(urn);
  }

  /** A set of its own with the same members. */
  copy(): Targets {
    return new Targets([...this.named, ...this.urns]);
  }
}

function patternOf(glob: string): RegExp {
  const quoted = glob.split("**").map((part) => part.split("*").map(quote).join("[^:]*"));
  return new RegExp(`^${quoted.join(".*")}$`, "s");
}

function quote(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
