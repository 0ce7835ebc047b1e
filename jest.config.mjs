const base = {
  testEnvironment: 'node',
  // zod's fifty languages are half of its modules, which each test file would load again; English is its default.
  moduleNameMapper: {
    '^\\.\\./locales/index\\.js$': '<rootDir>/packages/domain/node_modules/zod/v4/locales/en.js',
  },
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
};

const withServers = {
  ...base,
  globalSetup: '<rootDir>/packages/testkit/src/globalSetup.mjs',
  globalTeardown: '<rootDir>/packages/testkit/src/globalTeardown.mjs',
};

const besideTheCode = ['packages/*/src', 'services/*/src', 'sdk/*/src', 'bench'];
const inFolders = (folders, files) => folders.map((folder) => `<rootDir>/${folder}/**/${files}`);

export default {
  // Each project is a tier: `npm test -- --unit` runs the first, `npm test` the first three.
  projects: [
    {
      ...base,
      displayName: 'unit',
      testMatch: inFolders([...besideTheCode, 'scripts/fences'], '!(*.db).test.ts'),
    },
    { ...withServers, displayName: 'db', testMatch: inFolders(besideTheCode, '*.db.test.ts') },
    { ...withServers, displayName: 'system', testMatch: inFolders(['acceptance/system'], '*.test.ts') },
    {
      ...withServers,
      displayName: 'acceptance',
      testMatch: [
        ...inFolders(['acceptance/{faults,providers,operations}'], '*.test.ts'),
        ...inFolders(['acceptance/clients/{docs,openapi}'], '*.test.ts'),
      ],
    },
    // Starts its own servers, by `npm start`.
    { ...base, displayName: 'sdk', testMatch: inFolders(['acceptance/clients/sdk'], '*.test.ts') },
    {
      ...withServers,
      displayName: 'clients',
      testMatch: inFolders(['acceptance/clients/{openai,replicate,fal}'], '*.test.ts'),
    },
    { ...base, displayName: 'python', testMatch: inFolders(['acceptance/clients/python'], '*.test.ts') },
  ],
  testTimeout: 60_000,
  // Most tests wait, for servers, leases and clocks: more of them than processors.
  maxWorkers: 3,
  testSequencer: '<rootDir>/scripts/longestFirst.mjs',
  // Modules of a test file are never let go of.
  workerIdleMemoryLimit: '1GB',
  watchman: false,
  reporters: ['default', '<rootDir>/packages/testkit/src/plainReporter.mjs'],
};
