/** Runs the steps of the demo, and records their cost and the results of their checks. */
export class Recorder {
  /** @type {{ name: string, title: string, seconds: number, requests: object, routes: object, liveKeys: number, checks: object[] }[]} */
  steps = [];
  #narrator;
  #plane;
  #workspace;

  constructor({ narrator, plane, workspace }) {
    this.#narrator = narrator;
    this.#plane = plane;
    this.#workspace = workspace;
  }

  /**
   * Runs one step, and then its checks. Measures only the command's own time.
   *
   * @param {{ name: string, title: string, story: string }} what
   * @param {(tools: object) => Promise<void>} act
   */
  async step({ name, title, story }, act) {
    this.#narrator.step(title, story);
    const since = (await this.#plane.log()).length;
    const checks = [];
    let seconds = 0;
    const log = () => this.#plane.log({ since });
    await act({
      log,
      run: async (command) => {
        const result = await this.#run(command);
        seconds += result.durationMs / 1000;
        this.#narrator.log((await log()).flatMap(formatEntry));
        return result;
      },
      check: (told, saw, ok) => {
        const check = { told, ok, saw: typeof saw === "string" ? saw : JSON.stringify(saw) };
        checks.push(check);
        this.#narrator.check(check);
      },
      live: async () => (await this.#plane.liveKeys()).length,
    });
    const entries = await log();
    this.steps.push({
      name,
      title,
      seconds,
      requests: tally(entries.map(({ method }) => method)),
      routes: tally(entries.map(({ method, route, path }) => `${method} ${route ?? path}`)),
      liveKeys: (await this.#plane.liveKeys()).length,
      checks,
    });
  }

  async #run(command) {
    this.#narrator.command(`> ${command}`);
    let rest = "";
    const onOutput = (text) => {
      const lines = `${rest}${text}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines.filter((each) => each.trim() !== "")) this.#narrator.engine(line.trimEnd());
    };
    const result = await this.#workspace.run(command, { mayFail: true, onOutput });
    if (rest.trim() !== "") this.#narrator.engine(rest);
    return result;
  }
}

/** Counts how often each text occurs. */
export function tally(texts) {
  const counts = {};
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
}

/** Formats a request as one line. Polls of operations are only counted. */
function formatEntry({ method, route, path, effects }) {
  if (route?.includes("/operations")) return [];
  const did = effects.flatMap((effect) => {
    if (effect.kind === "key-created") return [`created key ${effect.id}, ${effect.name}`];
    if (effect.kind === "key-revoked") return [`revoked key ${effect.id}, ${effect.name}`];
    return effect.kind === "operation-started" ? [`started ${effect.action}`] : [];
  });
  return [`${method} ${path}${did.length > 0 ? `: ${did.join("; ")}` : ""}`];
}
