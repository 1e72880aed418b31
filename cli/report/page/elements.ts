// Text gets into the page only as text, never as HTML.

export type Child = Node | string | undefined;

/** Creates an element with these attributes. Children that are not given are left out. */
export function element(tag: string, attributes: Readonly<Record<string, string>>, ...children: Child[]): HTMLElement {
  return filled(document.createElement(tag), attributes, children);
}

export function filled<Of extends Element>(
  created: Of,
  attributes: Readonly<Record<string, string | number>>,
  children: readonly Child[],
): Of {
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, String(value));
  created.append(...children.filter((child) => child !== undefined));
  return created;
}

export const faint = (...children: Child[]): HTMLElement => element("span", { class: "faint" }, ...children);

export function part(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no ${id}`);
  return found;
}

/** A date, with its whole time as its title. */
export function dateElement(iso: string): HTMLElement {
  return element("time", { datetime: iso, title: iso }, iso.slice(0, 10));
}

/** Text in which commands are between backticks. Numbers stay on a line with their units. */
export function textWithCommands(text: string): Child[] {
  const unbroken = text.replace(/(\d) (s|min|h|d|UTC)\b/g, "$1\u00a0$2");
  return unbroken.split("`").map((part, at) => (at % 2 === 0 ? part : element("code", {}, part)));
}
