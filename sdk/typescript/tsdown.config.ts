/** Read by tsdown, which `sdk/tools` installs. */
export default {
  entry: ['src/index.ts', 'src/webhookHandlers.ts'],
  format: ['esm', 'cjs'],
  platform: 'neutral',
  target: 'es2022',
  dts: true,
  clean: true,
};
