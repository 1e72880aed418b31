import { readRule } from "./read-rule";
import { connectionFaults, type HeldRule } from "./rule";

/** The rules that tests set, in order of their making. */
export class Rules {
  private rules: HeldRule[] = [];
  private nextId = 1;

  /** Adds a rule; throws `ApiError` 400 if it is not valid. */
  add(input: unknown): HeldRule {
    const rule = { ...readRule(input), id: this.nextId++, seen: 0, struck: 0 };
    this.rules.push(rule);
    return rule;
  }

  /** All rules, also those that are spent. */
  list(): HeldRule[] {
    return this.rules.map((rule) => ({ ...rule }));
  }

  /** Removes one rule; `false` if there is none with this id. */
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
   * The rule that strikes a request, counted as struck.
   * @param names - What the request is called: its method with the route's template, and with its path.
   */
  forRequest(...names: (string | undefined)[]): HeldRule | undefined {
    return this.strike((rule) => {
      const connection = rule.fault !== undefined && connectionFaults.includes(rule.fault);
      return !connection && (rule.route === "*" || names.includes(rule.route));
    });
  }

  /** The rule that strikes a new connection, counted as struck. */
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
