import { runNode } from './child.mjs';

const flags = '--experimental-vm-modules --disable-warning=ExperimentalWarning';

/** Runs Jest on the whole tree, or on what the arguments name. */
export function test(args, options = {}) {
  const env = { NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} ${flags}`.trim() };
  return runNode(['node_modules/jest/bin/jest.js', ...args], { ...options, env });
}
