import { join } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/console/',
  plugins: [react(), tailwindcss()],
  build: {
    // The policy of the page allows no data URLs.
    assetsInlineLimit: 0,
    rolldownOptions: { input: ['index.html', 'portal.html'].map((page) => join(import.meta.dirname, page)) },
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
