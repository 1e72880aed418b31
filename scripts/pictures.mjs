// Draws the pictures of the documents from real runs on this machine: docs/up.svg and docs/overlap.svg. Needs the build.
//   npm run docs:pictures -- [up] [overlap]
const named = process.argv.slice(2);
for (const name of named.length > 0 ? named : ["up", "overlap"]) await import(`./pictures/${name}.mjs`);
