import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { servicePort } from '@holdfast/local/launch/ports';
import type { LocalState } from '@holdfast/local/launch/stateFile';
import { test as base, expect, type Page } from '@playwright/test';
import { startLocalHoldfast } from '../../stack/localHoldfast.ts';
import { type OidcClient, startOidcProvider } from '../../stack/oidcProvider.ts';
import { hostile } from '../pages.ts';
import { ann, runExecution, startReceiver, val } from './operator.ts';

export { expect };

/** A provider for the console at this port, and the settings of its gateway. */
async function startLogin(adminPort: number) {
  const consoleUrl = `http://127.0.0.1:${adminPort}`;
  const client: OidcClient = {
    id: 'console',
    secret: 'a secret of the client',
    redirectUri: `${consoleUrl}/console/oidc`,
  };
  const provider = await startOidcProvider(client, {
    olga: { email: 'olga@example.com', email_verified: true, realm_access: { roles: ['ops'] } },
    eve: { preferred_username: 'eve' },
  });
  const settings = {
    ADMIN_PORT: String(adminPort),
    CONSOLE_URL: consoleUrl,
    CONSOLE_OIDC_ISSUER: provider.issuer,
    CONSOLE_OIDC_CLIENT_ID: client.id,
    CONSOLE_OIDC_CLIENT_SECRET: client.secret,
    CONSOLE_OIDC_ALLOW_ORIGINS: provider.issuer,
    CONSOLE_OIDC_ROLES_CLAIM: 'realm_access.roles',
    CONSOLE_OIDC_ROLES: 'ops:support',
    CONSOLE_OIDC_LABEL: 'Company login',
  };
  return { provider, settings };
}

type World = Awaited<ReturnType<typeof startWorld>>;

/** The servers of one worker, with an endpoint that refuses and three executions: two that succeeded, one that failed. */
async function startWorld(home: string) {
  const login = await startLogin(await servicePort());
  const [holdfast, receiver] = await Promise.all([
    startLocalHoldfast(home, {
      ADMIN_TOKEN: `ann:${ann},val:${val}`,
      ...login.settings,
      ADMIN_ROLES: 'val:viewer',
      ENVIRONMENT_NAME: 'staging',
      WEBHOOK_ALLOW_HTTP: 'true',
      // On a busy machine the second attempt, too, fails before the receiver accepts anything.
      WEBHOOK_RETRY_DELAYS_S: '0,20,20,20,20',
      EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
    }),
    startReceiver(),
  ]);
  const { readState } = holdfast;
  const state = readState();
  await fetch(`${state.base_url}/v1/webhooks/endpoints`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${state.api_key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      url: receiver.url,
      events: ['execution.completed'],
      description: 'Orders of the shop',
    }),
  });
  const executionId = await runExecution(state, {
    model: 'sandbox-text',
    input: { prompt: hostile },
    metadata: { order: 'A-17', note: hostile },
  });
  await runExecution(state, { model: 'sandbox-text', input: { prompt: 'x', fail: 'MODEL_OVERLOADED' } });
  const imageId = await runExecution(state, {
    model: 'sandbox-image',
    input: { prompt: 'A lighthouse at dusk' },
    metadata: { order: 'A-18' },
  });
  async function stop(): Promise<void> {
    await holdfast.stop();
    receiver.close();
    await login.provider.stop();
  }
  return { readState, receiver, executionId, imageId, stop };
}

/** Addresses begin with the origin of the console's server. */
export const open = (page: Page, path: string) => page.goto(`/console${path}`);

/** Without the form, which takes another load of the page; tests of signing in fill it in. */
export async function signIn(page: Page, { admin_url: url }: LocalState, token: string): Promise<void> {
  const headers = { 'X-Holdfast-Console': '1', Origin: url };
  const response = await page.request.post('/admin/v1/session', { headers, data: { token } });
  expect(response.ok()).toBe(true);
  await open(page, '/');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
}

type Fixtures = {
  state: LocalState;
  /** What the page did against its policy, and its uncaught errors. */
  problems: string[];
  /** The page, with this operator signed in. */
  ann: Page;
  val: Page;
};

export const test = base.extend<Fixtures, { world: World }>({
  world: [
    // Playwright wants a pattern here, also for a fixture that needs no other.
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const home = mkdtempSync(join(tmpdir(), 'holdfast-console-'));
      // PostgreSQL runs as another user when we are root.
      chmodSync(home, 0o755);
      const world = await startWorld(home);
      await use(world);
      await world.stop();
      rmSync(home, { recursive: true, force: true });
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  state: async ({ world }, use) => await use(world.readState()),
  baseURL: async ({ state }, use) => await use(state.admin_url),
  problems: [
    async ({ page }, use) => {
      const problems: string[] = [];
      page.on('pageerror', ({ message }) => problems.push(message));
      page.on('console', (message) => {
        if (/Content.Security.Policy|violates/i.test(message.text())) problems.push(message.text());
      });
      await use(problems);
    },
    { auto: true },
  ],
  ann: async ({ page, state }, use) => {
    await signIn(page, state, ann);
    await use(page);
  },
  val: async ({ page, state }, use) => {
    await signIn(page, state, val);
    await use(page);
  },
});
