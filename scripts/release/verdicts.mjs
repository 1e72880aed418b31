/**
 * Runs a part of the check.
 *
 * @param {{ name: string, tools?: string[], judge: (context: any) => unknown }} part - `judge` returns
 *   the flaws, in sentences. `tools` must be on the PATH.
 * @param {any} context - What the parts share.
 * @param {{ offline: boolean, has: (tool: string) => boolean }} machine
 * @returns {Promise<{ verdict: "passed" | "failed" | "unset" | "not tried", text: string }[]>} One line for each verdict.
 */
export async function tried({ name, tools = [], judge }, context, { offline, has }) {
  const missing = tools.filter((tool) => !has(tool));
  if (offline && tools.length > 0) return [notTried(name, "--offline leaves it out")];
  if (missing.length > 0) return [notTried(name, `${missing.join(", ")} is not on the PATH`)];
  try {
    const flaws = await judge(context);
    return flaws.length === 0 ? [{ verdict: "passed", text: name }] : flaws.map((flaw) => failed(name, flaw));
  } catch (error) {
    return [failed(name, error.message)];
  }
}

/** One line for each setting of scripts/release/names.json that has no value. */
export function unset(names) {
  return names.map((name) => ({ verdict: "unset", text: `${name} in scripts/release/names.json` }));
}

/**
 * Adds up the verdicts.
 *
 * @param {readonly { verdict: string }[]} verdicts
 * @param {boolean} isRelease - Whether a release follows, for which everything must be set and tried.
 */
export function summary(verdicts, isRelease) {
  const count = (wanted) => verdicts.filter(({ verdict }) => verdict === wanted).length;
  const [passed, failures, unsetCount, untried] = ["passed", "failed", "unset", "not tried"].map(count);
  return {
    text: `${passed} passed, ${failures} failed, ${unsetCount} unset, ${untried} not tried`,
    isFine: passed > 0 && failures === 0 && !(isRelease && unsetCount + untried > 0),
  };
}

function failed(name, flaw) {
  return { verdict: "failed", text: `${name}: ${flaw}` };
}

function notTried(name, reason) {
  return { verdict: "not tried", text: `${name}: ${reason}` };
}
