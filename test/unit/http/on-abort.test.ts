import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { onAbort } from "../../../provider/http";

describe("following a signal", () => {
  it("costs the signal one listener, however many follow, so that a thousand requests do not cost their square", () => {
    const controller = new AbortController();
    let called = 0;
    const undo = Array.from({ length: 1000 }, () => onAbort(controller.signal, () => called++));
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
    for (const each of undo.slice(0, 400)) each();
    controller.abort();
    expect(called).toBe(600);
  });

  it("calls back once for each time it was asked to, in order, and not those who left on the way", () => {
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
