import { join } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// The console and the portal are built apart, so that neither loads what only the other needs.
export default defineConfig(({ mode }) => ({
  base: '/console/',
  plugins: [react(), tailwindcss()],
  build: {
    // The policy of the page allows no data URLs.
    assetsInlineLimit: 0,
    emptyOutDir: false,
    rolldownOptions: { input: join(import.meta.dirname, mode === 'portal' ? 'portal.html' : 'index.html') },
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
}));
