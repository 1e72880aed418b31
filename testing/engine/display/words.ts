// Words and signs for operations on resources.
import type { Operation } from "../run/events";
import type { Tone } from "./text";

/** How an operation is displayed. */
export interface Words {
  readonly sign: string;
  readonly tone: Tone;
  /** In a preview: `create`. */
  readonly plan: string;
  /** In progress: `creating`. */
  readonly doing: string;
  /** Done: `created`. */
  readonly done: string;
}

const CREATE: Words = { sign: "+", tone: "add", plan: "create", doing: "creating", done: "created" };
const DELETE: Words = { sign: "-", tone: "remove", plan: "delete", doing: "deleting", done: "deleted" };

/** The words for each operation. */
export const WORDS: Readonly<Record<Operation, Words>> = {
  same: { sign: " ", tone: "quiet", plan: "unchanged", doing: "checking", done: "unchanged" },
  create: CREATE,
  update: { sign: "~", tone: "change", plan: "update", doing: "updating", done: "updated" },
  delete: DELETE,
  replace: { sign: "+-", tone: "replace", plan: "replace", doing: "replacing", done: "replaced" },
  "create-replacement": {
    sign: "++",
    tone: "add",
    plan: "create replacement",
    doing: "creating replacement",
    done: "created replacement",
  },
  "delete-replaced": {
    sign: "--",
    tone: "remove",
    plan: "delete original",
    doing: "deleting original",
    done: "deleted original",
  },
  "remove-pending-replace": { ...DELETE, plan: "forget", doing: "forgetting", done: "forgotten" },
  refresh: { sign: "~", tone: "change", plan: "refresh", doing: "refreshing", done: "refreshed" },
};
