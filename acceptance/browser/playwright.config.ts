import { defineConfig } from '@playwright/test';

export default defineConfig({
  testMatch: '*.test.ts',
  projects: [
    { name: 'console', testDir: 'console' },
    // A trace of its 150 pages in six looks would be larger than the site.
    { name: 'site', testDir: 'site', use: { trace: 'off' } },
  ],
  outputDir: 'results',
  // Each starts servers of its own.
  workers: 2,
  // On a busy machine everything takes several times as long.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  forbidOnly: true,
  reporter: [['list'], ['./plainReporter.ts']],
  use: {
    actionTimeout: 30_000,
    navigationTimeout: 30_000,
    // It has the document at each step; pictures would take the processors that the tests need.
    trace: { mode: 'retain-on-failure', screenshots: false, sources: false },
    launchOptions: {
      // Debian's.
      executablePath: '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    },
  },
});
