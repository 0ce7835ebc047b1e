const shared = { cwd: import.meta.dirname, target: 'es2022' };

/** Read by tsdown, which `sdk/tools` installs. */
export default [
  {
    ...shared,
    entry: ['src/index.ts', 'src/webhookHandlers.ts'],
    format: ['esm', 'cjs'],
    platform: 'neutral',
    dts: true,
    clean: true,
  },
  { ...shared, entry: ['src/cli.ts'], format: 'esm', platform: 'node', dts: false, clean: false },
];
