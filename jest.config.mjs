const base = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
  globalSetup: '<rootDir>/packages/testkit/src/globalSetup.mjs',
  globalTeardown: '<rootDir>/packages/testkit/src/globalTeardown.mjs',
};

/** A tier of tests, by name: `npm run test:unit` runs the first, `npm test` all but the last. */
const tier = (displayName, testMatch, more = {}) => ({ ...base, displayName, testMatch, ...more });

export default {
  projects: [
    tier('code', [
      '<rootDir>/packages/*/src/**/*.test.ts',
      '<rootDir>/services/*/src/**/*.test.ts',
      '<rootDir>/bench/**/*.test.ts',
      '<rootDir>/acceptance/fences/*.test.ts',
    ]),
    tier('system', ['<rootDir>/acceptance/system/**/*.test.ts']),
    tier('acceptance', ['<rootDir>/acceptance/!(fences|system)/**/*.test.ts']),
  ],
  testTimeout: 60_000,
  // Most tests wait, for servers, leases and clocks: more of them than processors.
  maxWorkers: 3,
  // Modules of a test file are never let go of.
  workerIdleMemoryLimit: '1GB',
  watchman: false,
  reporters: ['default', '<rootDir>/packages/testkit/src/plainReporter.mjs'],
};
