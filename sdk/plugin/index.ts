// Generated from provider/plugin/schema.json by `npm run build:schema`. Do not edit.

/**
 * The resources, functions and the provider of the plugin, for programs in TypeScript and JavaScript.
 * @module keyplane/plugin
 */
export * from "./api-key";
export * from "./functions";
export * from "./project-ready";
export * from "./provider";
export * from "./rotating-api-key";
export type { InvokeOutputOptions } from "./runtime";
export * from "./types";
