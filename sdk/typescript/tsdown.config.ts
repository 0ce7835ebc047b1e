// The task removes `dist` first: two builds that clean it would remove each other's files.
const shared = { cwd: import.meta.dirname, target: 'es2022', clean: false };

/** Read by tsdown, which `sdk/tools` installs. */
export default [
  {
    ...shared,
    entry: ['src/index.ts', 'src/webhookHandlers.ts'],
    format: ['esm', 'cjs'],
    platform: 'neutral',
    dts: true,
  },
  { ...shared, entry: ['src/cli.ts'], format: 'esm', platform: 'node', dts: false },
];
