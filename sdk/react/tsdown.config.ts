/** Read by tsdown, which `sdk/tools` installs. */
export default {
  cwd: import.meta.dirname,
  target: 'es2022',
  clean: false,
  entry: ['src/index.ts'],
  format: ['esm', 'cjs'],
  platform: 'neutral',
  dts: true,
  // Hooks run in the browser alone; frameworks with server components want to know.
  banner: { js: "'use client';" },
};
