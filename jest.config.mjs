export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
  testMatch: [
    '<rootDir>/packages/*/src/**/*.test.ts',
    '<rootDir>/services/*/src/**/*.test.ts',
    '<rootDir>/bench/**/*.test.ts',
  ],
  testTimeout: 60_000,
  // Most tests wait, for servers, leases and clocks: more of them than processors.
  maxWorkers: 3,
  // Modules of a test file are never let go of.
  workerIdleMemoryLimit: '1GB',
  watchman: false,
  globalSetup: '<rootDir>/packages/testkit/src/globalSetup.mjs',
  globalTeardown: '<rootDir>/packages/testkit/src/globalTeardown.mjs',
  reporters: ['default', '<rootDir>/packages/testkit/src/plainReporter.mjs'],
};
