// The probe's provider. It does what its inputs and the "world" demand, and appends every call to a log.
//
// PROBE_LOG is the path of the log, which has a JSON line `{ method, args }` per call; `PROBE_LOG.ids` has a line per created id.
// PROBE_WORLD is the world as JSON: `{ error?, gone?: [label], drift?: { label: values }, failDelete?: [label] }`.
// With the input `exports`, a creation and an update append what `stack export` shows in the middle of the run.
// In a process that serves many runs, the file at the path PROBE_RUN has both, and what is needed to ask for the state:
// `{ log, world, cwd, backend }`.
const { appendFileSync, existsSync, readFileSync } = require("node:fs");
const { exportedState } = require("./exported-state");

const { PROBE_RUN, PROBE_LOG, PROBE_WORLD } = process.env;

function run() {
  if (PROBE_RUN) return JSON.parse(readFileSync(PROBE_RUN, "utf8"));
  return { log: PROBE_LOG, world: JSON.parse(PROBE_WORLD || "{}") };
}

const Probe = {
  async check(olds, news) {
    log("check", olds, news);
    const failures = news.failCheck ? [{ property: "v", reason: "v is not acceptable" }] : [];
    return { inputs: news, failures };
  },

  async diff(id, olds, news) {
    log("diff", id, olds, news);
    const changed = (key) => JSON.stringify(olds[key]) !== JSON.stringify(news[key]);
    const due = news.due === true;
    const replaces = [...(changed("v") && news.replaceOnV ? ["v"] : []), ...(due ? ["due"] : [])];
    return { changes: changed("v") || changed("w") || due, replaces, deleteBeforeReplace: news.dbr === true };
  },

  async create(inputs) {
    log("create", inputs);
    if (inputs.exports) log("export", { label: inputs.label, ...(await exportedState(run())) });
    if (inputs.slow) await new Promise((resolve) => setTimeout(resolve, inputs.slow));
    if (inputs.failCreate) throw new Error(`${inputs.label} cannot be created`);
    const id = nextId(inputs.label);
    return settled(id, inputs, { id, outs: outputs(id, inputs) });
  },

  async update(id, olds, news) {
    log("update", id, olds, news);
    if (news.exports) log("export", { label: news.label, ...(await exportedState(run())) });
    if (news.slow) await new Promise((resolve) => setTimeout(resolve, news.slow));
    if (news.failUpdate) throw new Error(`${news.label} cannot be updated`);
    return settled(id, news, { outs: outputs(id, news) });
  },

  async read(id, props) {
    log("read", id, props);
    const { world } = run();
    if (world.error) throw new Error("the world cannot be read");
    if (world.gone?.includes(props.label)) return {};
    const drift = world.drift?.[props.label];
    if (!drift) return { id, props };
    const { out: _, secretOut: __, ...inputs } = props;
    return { id, props: { ...props, ...drift }, inputs: { ...inputs, ...drift } };
  },

  async delete(id, props) {
    log("delete", id, props);
    if (run().world.failDelete?.includes(props.label)) throw new Error(`${props.label} cannot be deleted`);
  },
};

function outputs(id, inputs) {
  return { ...inputs, out: `${inputs.label}:${JSON.stringify(inputs.v)}`, secretOut: `secret-of-${id}` };
}

/** Returns the result, or throws the error for a resource that exists but is not ready. */
function settled(id, inputs, result) {
  if (!inputs.initFail) return result;
  const reasons = [`${inputs.label} is not ready`];
  throw Object.assign(new Error(reasons[0]), { id, properties: result.outs, reasons });
}

/** LABEL-N, where N counts what was created under that label in all processes. */
function nextId(label) {
  const file = `${run().log}.ids`;
  const ids = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  const id = `${label}-${1 + ids.filter((line) => line.replace(/-\d+$/, "") === label).length}`;
  appendFileSync(file, `${id}\n`);
  return id;
}

function log(method, ...args) {
  appendFileSync(run().log, `${JSON.stringify({ method, args: args.map(withoutProvider) })}\n`);
}

function withoutProvider(value) {
  if (typeof value !== "object" || value === null) return value;
  const { __provider: _, ...rest } = value;
  return rest;
}

module.exports = { Probe };
