import { statSync } from "node:fs";
import { Recorder } from "./recorder.mjs";

/**
 * Tells the story: runs the steps of the demo in order, each with its checks.
 *
 * @returns the cost of each step and the results of its checks.
 */
export async function tell({ narrator, plane, workspace }) {
  const recorder = new Recorder({ narrator, plane, workspace });
  for (const step of STEPS) {
    await recorder.step(step, (tools) => step.act({ ...tools, narrator, plane, workspace }));
  }
  return recorder.steps;
}

const create = {
  name: "create",
  title: "Two keys are created",
  story: "The program declares two keys and passes the secret of one to a deployment.",
  async act({ run, check, log, live }) {
    const { exit } = await run("up");
    check("the run succeeds", exit, exit === 0);
    const { posts, lists } = count(await log());
    check("two keys need 2 POST requests", posts, posts === 2);
    check("at most 1 list is requested, to find keys that earlier runs left behind", lists, lists <= 1);
    check("2 keys are live", await live(), (await live()) === 2);
  },
};

const state = {
  name: "state",
  title: "The state holds ciphertext",
  story: "Pulumi keeps the secrets of the two keys encrypted in its state, wherever they are used.",
  async act({ check, narrator, plane, workspace }) {
    const [key] = await keysInState(workspace, "app");
    narrator.show("state file", `${workspace.stateFile} (${statSync(workspace.stateFile).size} bytes)`);
    narrator.show("app's key in the state", `${String(key?.ciphertext).slice(0, 60)}...`);
    check("the state contains the key as ciphertext", key, typeof key?.ciphertext === "string");
    const { environment } = await workspace.outputs({ showSecrets: true });
    const issued = await plane.secretsEverIssued();
    check(
      "the stack's passphrase decrypts it to the secret that the service issued",
      "another text",
      issued.includes(environment.DATABASE_API_KEY),
    );
  },
};

const noOp = {
  name: "no-op",
  title: "No changes, no requests",
  story: "The same program runs once more.",
  async act({ run, check, log }) {
    const { exit, changes } = await run("up");
    check("the run succeeds", exit, exit === 0);
    check("every resource is unchanged", changes, changes.length === 0);
    check("no request is sent to the service", (await log()).length, (await log()).length === 0);
  },
};

const rotate = {
  name: "rotate",
  title: "A trigger rotates a key",
  story: "The setting `rotation`, one of app's triggers, changes. Its consumer gets the new key in the same run.",
  async act({ run, check, log, live, workspace }) {
    await workspace.setConfig("rotation", "2");
    const { exit } = await run("up");
    check("the run succeeds", exit, exit === 0);
    const methods = (await log()).map(({ method }) => method);
    const { posts, deletes } = count(await log());
    check("it needs 1 POST and 1 DELETE", methods, posts === 1 && deletes === 1);
    check(
      "the new key was created before the old one was revoked",
      methods,
      methods.indexOf("POST") < methods.indexOf("DELETE"),
    );
    check("2 keys are live", await live(), (await live()) === 2);
  },
};

const drift = {
  name: "drift",
  title: "A refresh finds a key that somebody revoked",
  story: "Two minutes later, the key of ci is revoked in the service's console, without Pulumi.",
  async act({ run, check, log, live, plane, workspace }) {
    // A refresh tries a key of the last minute for longer, because a new key may not work everywhere yet.
    await plane.clock.advance(120_000);
    await plane.state.revokeKey(await idInState(workspace, "ci"));
    const { exit, changes } = await run("refresh");
    check("the run succeeds", exit, exit === 0);
    const gone = changes.filter((change) => change.startsWith("delete "));
    check("only ci is found to be deleted", gone, gone.join() === "delete ci");
    const entries = await log();
    check(
      "nothing was changed",
      entries,
      entries.every(({ method }) => method === "GET"),
    );
    const refused = entries.filter(({ status }) => status === 401);
    check("one request was sent with the key itself", entries, refused.length === 1);
    check("1 key is live", await live(), (await live()) === 1);
  },
};

const heal = {
  name: "heal",
  title: "The next run creates it again",
  story: "Another `up` is enough.",
  async act({ run, check, log, live }) {
    const { exit } = await run("up");
    check("the run succeeds", exit, exit === 0);
    const { posts } = count(await log());
    check("it needs 1 POST", posts, posts === 1);
    check("2 keys are live", await live(), (await live()) === 2);
  },
};

const notReady = {
  name: "not-ready",
  title: "A new key is not ready in time",
  story: "With the next key, the service starts an operation that takes longer than the timeout, which is 2 s here.",
  async act({ run, check, log, live, plane, workspace }) {
    const started = { action: "start_compute", schedulingMs: 500, runningMs: null };
    await plane.rules.add({ route: "POST /api_keys", operations: [started] });
    await workspace.setConfig("rotation", "3");
    const { exit, diagnostics } = await run("up");
    check("the run fails and says what it waited for", diagnostics, exit !== 0 && says(diagnostics, "start_compute"));
    const [, ...older] = await keysInState(workspace, "app");
    check("the new key is recorded with its secret, and the old one is kept", older.length, older.length === 1);
    const { deletes } = count(await log());
    check("no key was revoked", deletes, deletes === 0);
    check("3 keys are live", await live(), (await live()) === 3);
  },
};

const resume = {
  name: "resume",
  title: "The next run resumes the wait",
  story: "The operation has succeeded in the meantime.",
  async act({ run, check, log, live, plane }) {
    const effects = (await plane.log()).flatMap((entry) => entry.effects);
    await plane.state.endOperation(effects.findLast(({ kind }) => kind === "operation-started").operationId);
    const { exit } = await run("up");
    check("the run succeeds", exit, exit === 0);
    const { posts, deletes } = count(await log());
    check("the key was not created a second time", posts, posts === 0);
    check("the old key is revoked only now", deletes, deletes === 1);
    check("2 keys are live", await live(), (await live()) === 2);
  },
};

const destroy = {
  name: "destroy",
  title: "Everything is deleted",
  story: "The stack is destroyed.",
  async act({ run, check, log, live }) {
    const { exit } = await run("destroy");
    check("the run succeeds", exit, exit === 0);
    const { deletes } = count(await log());
    check("it needs 2 DELETE requests", deletes, deletes === 2);
    check("no key is live", await live(), (await live()) === 0);
  },
};

const STEPS = [create, state, noOp, rotate, drift, heal, notReady, resume, destroy];

/** Counts requests that create, revoke and list keys. */
function count(entries) {
  const of = (method, route) => entries.filter((entry) => entry.method === method && entry.route === route).length;
  return {
    posts: of("POST", "/api_keys"),
    lists: of("GET", "/api_keys"),
    deletes: of("DELETE", "/api_keys/{key_id}"),
  };
}

/** Returns the resources with a name in the state, newest first. */
async function resourcesInState(workspace, name) {
  const { deployment } = await workspace.exportState();
  const found = (deployment.resources ?? []).filter(({ urn }) => urn.endsWith(`keyplane:ApiKey::${name}`));
  return found.sort((one, other) => Number(one.delete ?? false) - Number(other.delete ?? false));
}

async function keysInState(workspace, name) {
  return (await resourcesInState(workspace, name)).map(({ outputs }) => outputs?.key);
}

async function idInState(workspace, name) {
  const [resource] = await resourcesInState(workspace, name);
  return resource.id;
}

function says(diagnostics, text) {
  return diagnostics.some(({ severity, message }) => severity === "error" && message.includes(text));
}
