import { runNode } from './child.mjs';
import { generatedFilesAreFresh } from './generate.mjs';
import { test } from './jest.mjs';

const tool =
  (file, ...args) =>
  () =>
    runNode([`node_modules/${file}`, ...args]);

const checks = [
  ['types', tool('typescript/bin/tsc', '-p', 'tsconfig.json')],
  ['lint', tool('oxlint/bin/oxlint', '--type-aware', '--deny-warnings')],
  ['format', tool('@biomejs/biome/bin/biome', 'check')],
  ['dead code', tool('knip/bin/knip.js', '--no-progress')],
  ['generated files', generatedFilesAreFresh],
];

/** Runs the tests and reads the counts of their last line, `N passed, N failed`. */
async function runTests(args) {
  let tail = '';
  const onOutput = (text) => void (tail = (tail + text).slice(-4_000));
  const exitCode = await test(args, { onOutput, tee: true });
  const line = [...tail.matchAll(/^(\d+) passed, (\d+) failed\b.*$/gm)].at(-1);
  return { exitCode, passed: Number(line?.[1] ?? 0), failed: Number(line?.[2] ?? 0) };
}

async function timed(name, work) {
  console.log(`\n== ${name}`);
  const startedAt = Date.now();
  const result = await work();
  return { name, result, seconds: ((Date.now() - startedAt) / 1000).toFixed(1) };
}

/** Runs every check of the project; the last line, `N passed, N failed`, counts checks and tests. */
export async function verify(args) {
  const steps = [];
  for (const [name, work] of checks) {
    const step = await timed(name, work);
    steps.push({ ...step, passed: step.result === 0 ? 1 : 0, failed: step.result === 0 ? 0 : 1 });
  }
  const tests = await timed('tests', () => runTests(args));
  const { exitCode, passed, failed } = tests.result;
  // A run that crashed before its last line is a failure too.
  steps.push({ ...tests, passed, failed: exitCode === 0 ? failed : Math.max(failed, 1) });
  console.log('');
  for (const step of steps)
    console.log(`${step.failed ? 'FAILED' : 'ok    '}  ${step.name} (${step.seconds} s)`);
  const sum = (key) => steps.reduce((total, step) => total + step[key], 0);
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`);
  return sum('failed') === 0 ? 0 : 1;
}
