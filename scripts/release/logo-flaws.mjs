const MOST_BYTES = 10_000;

/** What the Pulumi Registry could not show in a logo, in sentences. */
export function flawsOfLogo(svg) {
  const [, root = ""] = /^(?:<\?xml[^>]*\?>\s*)?<svg\s([^>]*)>[\s\S]*<\/svg>\s*$/.exec(svg) ?? [];
  const [, x, y, width, height] = /\bviewBox="(\S+) (\S+) (\S+) (\S+)"/.exec(root)?.map(Number) ?? [];
  const active =
    svg.match(/<(script|foreignObject|image|use|style|a)\b|\son\w+=|\bhref=|url\(|<!(DOCTYPE|ENTITY)/gi) ?? [];
  return [
    ...(root === "" ? ["it is no SVG"] : []),
    ...(/\bxmlns="http:\/\/www\.w3\.org\/2000\/svg"/.test(root)
      ? []
      : ["it has no xmlns, and so browsers do not show it as an image"]),
    ...(x === 0 && y === 0 && width > 0 && width === height ? [] : ["its viewBox must be a square that begins at 0 0"]),
    ...active.map((found) => `it contains ${found.trim()}: an image has no code, and loads nothing`),
    ...(Buffer.byteLength(svg) > MOST_BYTES ? [`it has more than ${MOST_BYTES} bytes`] : []),
  ];
}
