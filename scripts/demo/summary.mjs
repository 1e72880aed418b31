/** Builds the demo's results for `--json`. */
export function summarize({ engine, steps, found, leftBehind }) {
  const failed = steps.flatMap(({ title, checks }) =>
    checks.filter(({ ok }) => !ok).map(({ told, saw }) => ({ title, told, saw })),
  );
  return {
    engine,
    node: process.version,
    seconds: round(steps.reduce((sum, { seconds }) => sum + seconds, 0)),
    steps: steps.map(({ checks, seconds, ...step }) => ({
      ...step,
      seconds: round(seconds),
      asTold: checks.every(({ ok }) => ok),
    })),
    leftBehind,
    plaintextSecretsFound: found.length,
    findings: found,
    notAsTold: failed,
    asTold: failed.length === 0 && leftBehind === 0 && found.length === 0,
  };
}

function round(seconds) {
  return Math.round(seconds * 100) / 100;
}
