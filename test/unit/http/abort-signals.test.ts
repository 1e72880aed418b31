import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { onAbort } from "../../../provider/http";

describe("following a signal", () => {
  test("adds only one listener to the signal for any number of followers, so that the cost is linear", () => {
    const controller = new AbortController();
    let called = 0;
    const undo = Array.from({ length: 1000 }, () => onAbort(controller.signal, () => called++));
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
    for (const each of undo.slice(0, 400)) each();
    controller.abort();
    expect(called).toBe(600);
  });

  test("calls a follower back once for each time that it follows, in order, unless it has left", () => {
    const controller = new AbortController();
    const order: string[] = [];
    const note = () => void order.push("note");
    onAbort(controller.signal, note);
    onAbort(controller.signal, () => undo());
    const undo = onAbort(controller.signal, () => order.push("left"));
    onAbort(controller.signal, note);
    controller.abort();
    expect(order).toEqual(["note", "note"]);
  });
});
