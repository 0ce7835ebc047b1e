import { runNode } from './child.mjs';

const flags = '--experimental-vm-modules --disable-warning=ExperimentalWarning';

/** The tiers of `jest.config.mjs` that `npm test` runs. */
const tiers = ['unit', 'db', 'system'];

/** Runs the tests of these tiers, or those that the arguments name, of any tier. */
export function test(args, { only = tiers, ...options } = {}) {
  const named = args.some((arg) => !arg.startsWith('-') && arg.includes('/'));
  const selected = named ? [] : ['--selectProjects', ...only];
  const env = { ...options.env, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} ${flags}`.trim() };
  return runNode(['node_modules/jest/bin/jest.js', ...args, ...selected], { ...options, env });
}
