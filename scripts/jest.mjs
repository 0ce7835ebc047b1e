import { runNode } from './child.mjs';

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
  const env = { ...options.env, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} ${flags}`.trim() };
  return runNode(['node_modules/jest/bin/jest.js', ...args, ...selected], { ...options, env });
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
