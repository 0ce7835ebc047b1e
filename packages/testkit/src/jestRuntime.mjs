import { createRequire } from 'node:module';
import Runtime from 'jest-runtime';

/** Packages of Jest that keep no state of a test file and compare no values of its realm. */
const shared = new Set([
  '@jest/test-result',
  'graceful-fs',
  'jest-each',
  'jest-message-util',
  'jest-regex-util',
  'jest-snapshot',
  'jest-util',
  'pure-rand',
]);

/** Loads them once per worker: Jest loads them for each test file, which takes longer than most files' tests. */
export default class SharingRuntime extends Runtime {
  requireInternalModule(from, name) {
    if (shared.has(name)) return createRequire(from)(name);
    return super.requireInternalModule(from, name);
  }
}
