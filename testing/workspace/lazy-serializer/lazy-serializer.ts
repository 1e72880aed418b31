import { compiledModule } from "../../package-root";

/**
 * An environment in which Pulumi's SDK starts in a third of the time, for runs that serialize no closures: dynamic
 * resources made with `pulumi.dynamic.Resource` still work, but gain nothing.
 */
export function lazySerializer(env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const preload = `--require ${JSON.stringify(compiledModule("workspace", "lazy-serializer", "preload.js"))}`;
  return { ...env, NODE_OPTIONS: [preload, env.NODE_OPTIONS ?? ""].join(" ").trim() };
}
