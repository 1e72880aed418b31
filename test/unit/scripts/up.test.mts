import { expect, test } from "vitest";

const { Screen } = await import(new URL("../../../scripts/pictures/up/screen.mjs", import.meta.url).href);
const { draw } = await import(new URL("../../../scripts/pictures/up/draw.mjs", import.meta.url).href);

const textOf = (lines: { text: string }[][]) => lines.map((spans) => spans.map(({ text }) => text).join(""));

test("a screen shows rows that are redrawn in place only once, and keeps earlier rows", () => {
  const screen = new Screen();
  screen.write("\u001b[1mUpdating dev\u001b[0m\n\nci creating (1s)\napp creating (1s)\n");
  const before = screen.lines;
  screen.write("\u001b[2A\u001b[0Jci \u001b[32mcreated\u001b[0m\napp creating (2s)\n");
  expect(textOf(before)).toEqual(["Updating dev", "", "ci creating (1s)", "app creating (1s)", ""]);
  expect(String(screen)).toBe("Updating dev\n\nci created\napp creating (2s)\n");
  expect(screen.lines[2]).toContainEqual({ text: "created", code: "32" });
});

const frame = (at: number, text: string) => ({ at, lines: [[{ text, code: "0" }]] });

test("a picture shows each text for its time, and the end of the last run if animations do not play", () => {
  const first = { title: "one & all", frames: [frame(0, "creating"), frame(1000, "created")] };
  const picture: string = draw({ scenes: [first, { title: "two", frames: [frame(0, "updated")] }], columns: 80 });

  const shown = [...picture.matchAll(/<g class="k\d+"( opacity="0")?>(.*)<\/g>/g)].map(([, hidden, texts = ""]) => {
    return [hidden === undefined, texts.replace(/<[^>]+>/g, "")];
  });
  expect(Object.fromEntries(shown.map(([isShown, text]) => [text, isShown]))).toEqual({
    "one &#38; all": false,
    creating: false,
    created: false,
    updatedtwo: true,
  });
  expect(picture).toContain("@keyframes k0{0.00%{opacity:1}10.00%{opacity:0}}");
});

test("a picture moves only if the reader allows motion, and starts with the final image", () => {
  const picture: string = draw({ scenes: [{ title: "one", frames: [frame(0, "created")] }], columns: 80 });
  const [, style = ""] = /<style>\n(.*)\n<\/style>/s.exec(picture) ?? [];
  expect(style).toMatch(/^@media \(prefers-reduced-motion:no-preference\)\{.*\}$/s);
  expect(style).toContain("g{animation:6000ms step-end -4500ms infinite}");
});

test("a picture keeps the spaces between columns in renderers that fold spaces", () => {
  const scenes = [{ title: "one", frames: [frame(0, "+  ci  created")] }];
  expect(draw({ scenes, columns: 80 })).toContain(">+\u00a0\u00a0ci\u00a0\u00a0created<");
});
