/** Sets of resources named on the command line. */

/**
 * A set of URNs and patterns. `*` matches anything except `:`, `**` matches anything. An empty set has no limit: it
 * contains every URN.
 */
export class Targets {
  private readonly urns: Set<string>;
  private readonly patterns: readonly RegExp[];

  constructor(private readonly named: readonly string[]) {
    this.urns = new Set(named.filter((name) => !name.includes("*")));
    this.patterns = named.filter((name) => name.includes("*")).map(patternOf);
  }

  /** Whether the command line named any resource. */
  get limited(): boolean {
    return this.urns.size > 0 || this.patterns.length > 0;
  }

  /** The URNs without patterns. */
  get literals(): readonly string[] {
    return [...this.urns];
  }

  /** Whether the set contains a URN. */
  has(urn: string): boolean {
    return !this.limited || this.urns.has(urn) || this.patterns.some((pattern) => pattern.test(urn));
  }

  /** Adds a URN. A set without a limit stays unlimited. */
  add(urn: string): void {
    if (this.limited) this.urns.add(urn);
  }

  /** Creates a separate set with the same members. */
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
