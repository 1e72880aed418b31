import type { Socket } from "node:net";
import { commit, commitLate, toWire } from "../commit";
import type { PlaneRequest } from "../dispatch";
import type { Plane } from "../plane";
import type { LogEntry } from "../request-log";
import { breakAnswer, type WireAnswer } from "./raw-answer";
import type { HeldRule } from "./rule";
import { ruledAnswer, shape } from "./ruled-answer";

/** One request that a rule applies to. */
export interface RuledExchange {
  plane: Plane;
  rule: HeldRule;
  request: PlaneRequest;
  entry: LogEntry;
  socket: Socket;
}

/** The result: a response and what to do after it, or nothing if the connection is already broken. */
export type Outcome = { answer: WireAnswer; after: () => Promise<void> } | { answer: undefined; bytes: number };

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Serves a request as a rule says. The request body is already read.
 * @param refuse - Refuses new connections for a number of milliseconds.
 */
export async function serveByRule(exchange: RuledExchange, refuse: (ms: number) => void): Promise<Outcome> {
  const { plane, rule, request, entry, socket } = exchange;
  const park = async (phase: "before" | "after"): Promise<boolean> => {
    if (rule.hold !== phase) return true;
    const { seq, method, route, path } = entry;
    return (await plane.held.park({ seq, method, route, path, phase })) === "continue";
  };
  const drop = (): Outcome => {
    socket.destroy();
    return { answer: undefined, bytes: 0 };
  };
  if (rule.delayMs) await sleep(rule.delayMs);
  if (!(await park("before"))) return drop();
  const truth = rule.commit === "before" ? await commit(plane, request, entry, rule.operations) : undefined;
  if (rule.commit === "late") commitLate(plane, request, entry, rule.lateMs);
  if (!(await park("after"))) return drop();

  const shaped = truth && shape(rule, truth, request);
  const ruled = ruledAnswer(rule, shaped, request.requestId, plane.state.clock.now());
  const answer = toWire(plane, request.requestId, ruled);
  const after = async (): Promise<void> => {
    if (rule.refuseMs) refuse(rule.refuseMs);
    if (rule.commit === "after") await commit(plane, request, entry, rule.operations);
  };
  if (!rule.fault) return { answer, after };
  const bytes = breakAnswer(socket, rule.fault, answer);
  await after();
  return { answer: undefined, bytes };
}
