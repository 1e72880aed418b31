/** Renders the errors as a page: one section per error, in definition order. */
export function renderErrors(errors) {
  const sections = Object.entries(errors).map(
    ([code, { kind, when, remedy }]) => `## ${code}\n\n\`${kind}\`: ${when}\n\n${remedy}\n`,
  );
  return `${INTRODUCTION}\n${sections.map(wrapped).join("\n")}`;
}

const INTRODUCTION = `<!-- Made by \`npm run docs:errors\` from provider/errors/error-pages.ts. -->

# Errors

Every error of keyplane has a code, which keeps its meaning. It is at the end of the message, and a data source's error also
has it as \`code\`. A wrong command line has its code only with \`--json\`. Each section says the kind of the error, when it
happens, and then what to do. No message contains a secret.

## Handling errors in a program

A data source throws a \`KeyplaneError\`. Its \`kind\` says what happened:

- \`config\`, \`input\`: a setting or an argument is invalid. Nothing was sent.
- \`auth\`, \`not_found\`, \`conflict\`, \`rate_limit\`, \`api\`: the service refused the request.
- \`answer_lost\`: a request that changes something got no usable answer. It may have been applied.
- \`transport\`, \`timeout\`, \`aborted\`, \`operation\`: the network, a wait or an operation ended it.
- \`bad_answer\`: the answer does not match the service's API. \`internal\`: a bug in keyplane.

\`\`\`ts
import { getProjects, KeyplaneError } from "keyplane";

export const names = getProjects().catch((error: unknown) => {
  if (error instanceof KeyplaneError && error.kind === "auth") return [];
  throw error;
});
\`\`\`
`;

const WIDTH = 120;

/** Wraps long lines between words. */
function wrapped(text) {
  return text.replaceAll(/^.+$/gm, (line) => {
    const lines = [""];
    for (const word of line.split(" ")) {
      const last = lines.at(-1);
      if (last === "") lines.splice(-1, 1, word);
      else if (last.length + 1 + word.length <= WIDTH) lines.splice(-1, 1, `${last} ${word}`);
      else lines.push(word);
    }
    return lines.join("\n");
  });
}
