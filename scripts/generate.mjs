import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root, runNode } from './child.mjs';

/** Every script that writes committed files: `[{"script": path, "writes": [paths]}]`. */
function generators() {
  return JSON.parse(readFileSync(path.join(root, 'scripts/generators.json'), 'utf8'));
}

function runGenerator({ script }) {
  return runNode(['--disable-warning=ExperimentalWarning', script]);
}

/** Writes every generated file. */
export async function generate() {
  const before = bytesOf('docs/openapi.json');
  for (const generator of generators()) {
    const code = await runGenerator(generator);
    if (code !== 0) return code;
    console.log(`written: ${generator.writes.join(', ')}`);
  }
  if (before && !bytesOf('docs/openapi.json')?.equals(before))
    console.log('docs/openapi.json has changed: also run `python sdk/python/tools/generate.py`.');
  return 0;
}

function bytesOf(file) {
  const full = path.join(root, file);
  return existsSync(full) ? readFileSync(full) : undefined;
}

/** Runs each generator, compares the results with the existing files, and restores those. */
export async function generatedFilesAreFresh() {
  let exitCode = 0;
  for (const generator of generators()) {
    const before = generator.writes.map(bytesOf);
    const code = await runGenerator(generator);
    if (code !== 0) return code;
    for (const [i, file] of generator.writes.entries()) {
      if (before[i] && bytesOf(file)?.equals(before[i])) continue;
      console.error(`${file} is stale: run \`npm run generate\` and commit it.`);
      exitCode = 1;
      if (before[i]) writeFileSync(path.join(root, file), before[i]);
    }
  }
  return exitCode;
}
