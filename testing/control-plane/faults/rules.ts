import { readRule } from "./read-rule";
import { connectionFaults, type HeldRule } from "./rule";

/** The rules that tests set, in creation order. */
export class Rules {
  private rules: HeldRule[] = [];
  private nextId = 1;

  /** Adds a rule. Throws `ApiError` 400 if it is not valid. */
  add(input: unknown): HeldRule {
    const rule = { ...readRule(input), id: this.nextId++, seen: 0, struck: 0 };
    this.rules.push(rule);
    return rule;
  }

  /** Returns all rules, including used-up ones. */
  list(): HeldRule[] {
    return this.rules.map((rule) => ({ ...rule }));
  }

  /** Removes one rule. Returns `false` if no rule has this id. */
  remove(id: number): boolean {
    const before = this.rules.length;
    this.rules = this.rules.filter((rule) => rule.id !== id);
    return this.rules.length < before;
  }

  /** Removes all rules. */
  clear(): void {
    this.rules = [];
  }

  /**
   * Finds the rule that applies to a request, and counts the request.
   * @param names - Names of the request: its method with the route template, and its method with the path.
   */
  forRequest(...names: (string | undefined)[]): HeldRule | undefined {
    return this.strike((rule) => {
      const connection = rule.fault !== undefined && connectionFaults.includes(rule.fault);
      return !connection && (rule.route === "*" || names.includes(rule.route));
    });
  }

  /** Finds the rule that applies to a new connection, and counts the connection. */
  forConnection(): HeldRule | undefined {
    return this.strike((rule) => rule.fault !== undefined && connectionFaults.includes(rule.fault));
  }

  private strike(applies: (rule: HeldRule) => boolean): HeldRule | undefined {
    return this.rules.find((rule) => {
      const { count = 1, skip = 0, every = 1 } = rule;
      if ((count !== null && rule.struck >= count) || !applies(rule)) return false;
      rule.seen += 1;
      if (rule.seen <= skip || (rule.seen - skip - 1) % every !== 0) return false;
      rule.struck += 1;
      return true;
    });
  }
}
