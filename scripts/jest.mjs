import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { root, runNode } from './child.mjs';
import { compileCache } from './dependencies.mjs';

const flags = '--experimental-vm-modules --disable-warning=ExperimentalWarning';

/**
 * The tiers of `jest.config.mjs` that `npm test` runs: tests that need no server, tests beside the code that do, and
 * whole systems.
 */
const tiers = ['unit', 'db', 'system'];

/** Runs the tests of these tiers, or the ones that the arguments name, of any tier. */
export function test(args, { only = tiers, ...options } = {}) {
  const named = args.some((arg) => !arg.startsWith('-') && arg.includes('/'));
  const selected = named ? [] : ['--selectProjects', ...only];
  const env = {
    // Without it, each system that a test starts compiles the services anew.
    NODE_COMPILE_CACHE: compileCache,
    ...options.env,
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} ${flags}`.trim(),
  };
  return runNode(['node_modules/jest/bin/jest.js', ...args.map(anchored), ...selected], { ...options, env });
}

/** Jest takes a path as a pattern: `sdk` would also mean `acceptance/clients/sdk`. */
function anchored(arg, index, args) {
  const file = path.join(root, arg);
  if (arg.startsWith('-') || ['-t', '--testNamePattern'].includes(args[index - 1]) || !existsSync(file))
    return arg;
  const escaped = file.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return statSync(file).isDirectory() ? `${escaped.replace(/\/$/, '')}/` : escaped;
}

/** `npm test`: `--unit`, `--db` and `--system` select tiers. */
export function testTiers(args) {
  const only = tiers.filter((tier) => args.includes(`--${tier}`));
  const rest = args.filter((arg) => !tiers.some((tier) => arg === `--${tier}`));
  if (only.length === 0) return test(rest);
  // Tests without servers leave room for one more worker: the longest of them wait for clocks.
  const isLight = only.join() === 'unit' && !rest.includes('-w');
  return test(isLight ? ['-w', '4', ...rest] : rest, { only });
}
