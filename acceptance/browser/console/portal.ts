import { createServer } from 'node:http';
import { join } from 'node:path';
import type { LocalState } from '@holdfast/local/launch/stateFile';
import { until } from '@holdfast/testkit/until';
import { describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from './browser.ts';
import {
  hostile,
  runExecution,
  screenshots,
  startReceiver,
  tooWide,
  untilText,
  violations,
} from './operator.ts';

type Stack = { state(): LocalState; browser(): Browser; executionId(): string };

const everything = ['executions', 'webhooks', 'keys', 'usage'];

/** A site of a tenant, which shows the portal in a frame. */
async function startSite() {
  let frame = '';
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(`<iframe src="${frame}" width="1000" height="700"></iframe>`);
  }).listen(0);
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    port,
    // Another site than 127.0.0.1, from which browsers send only partitioned cookies.
    origin: `http://localhost:${port}`,
    show: (url: string) => {
      frame = url;
    },
    close: () => server.close(),
  };
}

/** What a tenant sees, as a page and in a frame of their own site. */
export function describePortal({ state, browser, executionId }: Stack): void {
  const request = async (method: string, path: string, key: string, body?: object) =>
    await fetch(`${state().base_url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const newLink = async (settings: object = {}) => {
    const body = { capabilities: everything, ...settings };
    const response = await request('POST', '/v1/portal-sessions', state().api_key, body);
    return (await response.json()) as { id: string; url: string };
  };
  const newEndpoint = async (url: string) => {
    const response = await request('POST', '/v1/webhooks/endpoints', state().api_key, { url, events: [] });
    return ((await response.json()) as { id: string }).id;
  };
  const owned = (page: Page) => page.evaluate<unknown>('window.owned');

  async function opened(url: string): Promise<{ context: BrowserContext; page: Page; problems: string[] }> {
    const context = await browser().newContext();
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', ({ message }) => problems.push(JSON.stringify(message)));
    page.on('console', (message) => {
      const line = message.text?.() ?? '';
      if (/Content.Security.Policy|violates/i.test(line)) problems.push(line);
    });
    await page.goto(url);
    return { context, page, problems };
  }

  describe('the portal', () => {
    it('is opened once by a link, whose token leaves the address at once', async () => {
      const { id, url } = await newLink({ theme: { accent: '#ffe600', color_scheme: 'dark' } });
      const { context, page } = await opened(url);
      await page.getByRole('heading', { name: 'Executions' }).waitFor();
      expect(page.url()).toBe(`${state().base_url}/console/s/${id}/executions`);
      expect(await context.cookies()).toMatchObject([{ httpOnly: true, sameSite: 'Strict' }]);
      expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
      expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
      expect(await violations(page)).toEqual([]);
      await page.reload();
      await page.getByRole('heading', { name: 'Executions' }).waitFor();
      await context.close();
      const again = await opened(url);
      await untilText(again.page, 'The session has ended');
      expect(await violations(again.page)).toEqual([]);
      await again.context.close();
    });

    it('is signed in to with an API key, which the browser does not keep', async () => {
      const { context, page } = await opened(`${state().base_url}/console/`);
      await page.getByLabel('API key').fill('sk_wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await untilText(page, 'The API key is not valid');
      await page.getByLabel('API key').fill(state().api_key);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Executions' }).waitFor();
      const kept = await page.evaluate<string>('document.cookie + JSON.stringify(localStorage)');
      expect(kept).toBe('{}');
      expect(JSON.stringify(await context.cookies())).not.toContain(state().api_key);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await context.close();
    });

    it('stays open, and says why, when signing out fails', async () => {
      const { context, page } = await opened((await newLink()).url);
      await page.getByRole('heading', { name: 'Executions' }).waitFor();
      const session = /\/portal-session$/;
      const error = { code: 'SERVICE_UNAVAILABLE', message: 'The database does not respond.' };
      await page.route(session, (route) => route.fulfill({ status: 503, json: { error } }));
      await page.getByRole('button', { name: 'Sign out' }).click();
      await untilText(page, error.message);
      await page.getByRole('heading', { name: 'Executions' }).waitFor();
      await page.unroute(session);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await context.close();
    });

    it('shows an execution with its deliveries, runs nothing that others wrote, and redelivers', async () => {
      const receiver = await startReceiver();
      receiver.accept();
      const endpointId = await newEndpoint(receiver.url);
      const execution = { model: 'sandbox-text', input: { prompt: hostile }, metadata: { note: hostile } };
      const executed = await runExecution(state(), execution);
      const { id, url } = await newLink();
      const { context, page, problems } = await opened(url);
      await page.getByRole('heading', { name: 'Executions' }).waitFor();
      await page.goto(`${state().base_url}/console/s/${id}/executions/${executed}`);
      await page.getByRole('button', { name: 'Redeliver' }).first().click();
      await page.getByRole('button', { name: 'Confirm' }).click();
      await until('the dialog is closed', async () => (await page.getByRole('dialog').count()) === 0);
      expect(await owned(page)).toBeUndefined();
      expect(problems).toEqual([]);
      await request('DELETE', `/v1/webhooks/endpoints/${endpointId}`, state().api_key);
      receiver.close();
      await context.close();
    });

    it('creates an endpoint and a key, shows their secrets once, and removes them', async () => {
      const { context, page } = await opened((await newLink()).url);
      await page.getByRole('link', { name: 'Webhooks' }).click();
      await page.getByRole('button', { name: 'Add endpoint' }).click();
      await page.getByLabel('URL').fill('https://example.com/portal');
      await page.getByLabel('execution.failed').check();
      const list = Promise.withResolvers<void>();
      await page.route(/\/webhooks\/endpoints(\?|$)/, async (route) => {
        if (route.request().method() === 'GET') await list.promise;
        await route.continue();
      });
      await page.locator('form button[type=submit]').click();
      await untilText(page, /^whsec_/);
      list.resolve();
      await page.getByRole('button', { name: 'I have stored it' }).click();
      await page.getByText('https://example.com/portal').click();
      await untilText(page, /· execution\.failed$/);
      const address = page.url();
      await page.getByRole('button', { name: 'Edit endpoint' }).click();
      await page.getByLabel('Description (optional)').fill('Orders of the shop');
      await page.getByRole('button', { name: 'Save changes' }).click();
      await untilText(page, 'Orders of the shop');
      await untilText(page, /· execution\.failed$/);
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.getByRole('button', { name: 'Add endpoint' }).waitFor();
      await page.evaluate('history.back()');
      await until('the endpoint is left', () => Promise.resolve(page.url() !== address));
      await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
      await page.getByRole('link', { name: 'API keys' }).click();
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByLabel('Name').fill('from the portal');
      await page.getByLabel('balance').check();
      await page.locator('form button[type=submit]').click();
      const shown = page.getByText(/^sk_[0-9a-f]{64}_/);
      await shown.waitFor();
      const key = (await shown.textContent()) ?? '';
      expect((await request('GET', '/v1/balance', key)).status).toBe(200);
      expect((await request('GET', '/v1/executions', key)).status).toBe(403);
      await page.getByRole('button', { name: 'I have stored it' }).click();
      // Not the first: the list may be read again later.
      const made = page.locator('li:has-text("from the portal")');
      await made.getByRole('button', { name: 'Revoke' }).click();
      await page.getByRole('button', { name: 'Confirm' }).click();
      await made.getByText('revoked').waitFor();
      await context.close();
    });

    it('says what its buttons for an endpoint do, and why a test event failed', async () => {
      const receiver = await startReceiver();
      receiver.close();
      const endpointId = await newEndpoint(receiver.url);
      const { id, url } = await newLink();
      const { context, page } = await opened(url);
      await page.getByRole('heading', { name: 'Executions' }).waitFor();
      await page.goto(`${state().base_url}/console/s/${id}/webhooks/${endpointId}`);
      await page.getByRole('button', { name: 'Send test event' }).click();
      await page.getByRole('button', { name: 'Confirm' }).click();
      await untilText(page, 'The test event failed: connect ECONNREFUSED');
      for (const [button, meaning] of [
        ['Deactivate', /It misses those that happen until it is activated again/],
        ['Rotate secret', /X-Signature uses it at once/],
      ] as const) {
        await page.getByRole('button', { name: button }).click();
        await untilText(page, meaning);
        await page.getByRole('button', { name: 'Close' }).click();
      }
      let calls = 0;
      await page.route(/\/recover$/, async (route) => {
        calls += 1;
        await route.fulfill({ status: 200, json: { redelivered: 10_000, has_more: calls < 3 } });
      });
      await page.getByRole('button', { name: 'Recover failed deliveries' }).click();
      await page.getByRole('button', { name: 'Confirm' }).click();
      await untilText(page, '30,000 deliveries are sent again.');
      expect(calls).toBe(3);
      await request('DELETE', `/v1/webhooks/endpoints/${endpointId}`, state().api_key);
      await context.close();
    });

    it('asks before its own key is revoked, and leads to another session once it has ended', async () => {
      const made = await request('POST', '/v1/api-keys', state().api_key, {
        name: 'of this session',
        scopes: ['keys'],
        models: ['sandbox-text'],
      });
      const { key } = (await made.json()) as { key: string };
      const { context, page } = await opened(`${state().base_url}/console/`);
      await page.getByLabel('API key').fill(key);
      await page.getByRole('button', { name: 'Sign in' }).click();
      const own = page.locator('li:has-text("of this session")');
      await own.getByText('keys · sandbox-text').waitFor();
      await own.getByRole('button', { name: 'Revoke' }).click();
      await untilText(page, 'this session ends at once');
      await page.getByRole('button', { name: 'Confirm' }).click();
      await untilText(page, 'The session has ended');
      await page.getByRole('link', { name: 'Sign in with an API key' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await context.close();
    });

    it('says in words what changed the balance, and reads its usage again', async () => {
      const { id, url } = await newLink();
      const { context, page } = await opened(url);
      await page.getByRole('heading', { name: 'Executions' }).waitFor();
      await page.clock.install();
      await page.goto(`${state().base_url}/console/s/${id}/usage`);
      const total = page.locator('tr:has-text("Total")').first();
      await total.waitFor();
      const before = await total.textContent();
      const executed = await runExecution(state(), { model: 'sandbox-text', input: { prompt: 'again' } });
      await until('the totals are those of now', async () => {
        await page.clock.runFor(5000);
        return (await total.textContent()) !== before;
      });
      const row = page.locator(`tr:has(a[href$="${executed}"])`);
      for (const kind of ['Hold', 'Charge']) await row.getByRole('link', { name: kind }).first().waitFor();
      await context.close();
    });

    it('shows the entry of its page in the navigation of a phone', async () => {
      const { id, url } = await newLink({ return_url: 'https://example.com/' });
      const { context, page } = await opened(url);
      await page.getByRole('heading', { name: 'Executions' }).waitFor();
      await page.setViewportSize({ width: 320, height: 700 });
      await page.goto(`${state().base_url}/console/s/${id}/usage`);
      await page.getByRole('heading', { name: 'Usage' }).waitFor();
      const right = `document.querySelector('nav [data-status=active]').getBoundingClientRect().right`;
      await until('it is within the page', async () => (await page.evaluate<number>(right)) <= 320);
      await context.close();
    });

    it('shows that a key has expired, and does not offer to rotate it', async () => {
      const expires_at = new Date(Date.now() + 2000).toISOString();
      const made = await request('POST', '/v1/api-keys', state().api_key, {
        name: 'short-lived',
        expires_at,
      });
      const { key } = (await made.json()) as { key: string };
      await until(
        'the key has expired',
        async () => (await request('GET', '/v1/balance', key)).status === 401,
      );
      const { context, page } = await opened((await newLink()).url);
      await page.getByRole('link', { name: 'API keys' }).click();
      const row = page.locator('li:has-text("short-lived")');
      await row.getByText('expired', { exact: true }).waitFor();
      expect(await row.getByRole('button', { name: 'Rotate' }).count()).toBe(0);
      await context.close();
    });

    it('offers only what its capabilities allow', async () => {
      const { context, page } = await opened((await newLink({ capabilities: ['usage'] })).url);
      await page.getByRole('heading', { name: 'Usage' }).waitFor();
      for (const name of ['Executions', 'Webhooks', 'API keys'])
        expect([name, await page.getByRole('link', { name }).count()]).toEqual([name, 0]);
      await context.close();
    });

    it('says that it has ended, on an open page, once its session is revoked', async () => {
      const { id, url } = await newLink();
      const { context, page } = await opened(url);
      await page.getByRole('heading', { name: 'Executions' }).waitFor();
      await request('DELETE', `/v1/portal-sessions/${id}`, state().api_key);
      await untilText(page, 'The session has ended');
      await context.close();
    });

    it('says that its server does not respond, and shows the page once it does', async () => {
      const { context, page } = await opened((await newLink()).url);
      await page.getByRole('heading', { name: 'Executions' }).waitFor();
      await context.setOffline(true);
      await untilText(page, 'The server did not respond. Trying again …');
      await context.setOffline(false);
      await page.getByText(executionId()).waitFor();
      await until(
        'the page has read everything',
        async () => (await page.getByText(/Trying again/).count()) === 0,
      );
      await context.close();
    });

    it('says that a change whose response is lost may have been applied', async () => {
      const { context, page } = await opened((await newLink()).url);
      await page.getByRole('link', { name: 'API keys' }).click();
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByLabel('Name').fill('from a train');
      await context.setOffline(true);
      await page.locator('form button[type=submit]').click();
      await untilText(page, 'It may have been applied: check this before you submit it again.');
      await context.close();
    });

    it('works in a frame of the named origin, and of no other', async () => {
      const site = await startSite();
      site.show((await newLink({ frame_ancestors: [site.origin] })).url);
      const { context, page, problems } = await opened(site.origin);
      const heading = page.frameLocator('iframe').getByRole('heading', { name: 'Executions' });
      await heading.waitFor();
      expect(await context.cookies()).toMatchObject([{ httpOnly: true, secure: true, sameSite: 'None' }]);
      await page.reload();
      await heading.waitFor();
      expect(problems).toEqual([]);
      await page.goto(`http://127.0.0.1:${site.port}`);
      await until('the browser has refused the frame', () => Promise.resolve(problems.length > 0));
      expect(problems[0]).toContain('frame-ancestors');
      site.close();
      await context.close();
    });

    it('says that it cannot copy a new key in a frame that may not', async () => {
      const site = await startSite();
      site.show((await newLink({ frame_ancestors: [site.origin] })).url);
      const { context, page } = await opened(site.origin);
      const framed = page.frameLocator('iframe');
      await framed.getByRole('link', { name: 'API keys' }).click();
      await framed.getByRole('button', { name: 'Create key' }).click();
      await framed.getByRole('textbox', { name: 'Name' }).fill('in a frame');
      await framed.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
      await framed.getByRole('button', { name: 'Copy' }).click();
      await framed.getByRole('button', { name: 'The browser blocks copying' }).waitFor();
      site.close();
      await context.close();
    });

    it('is accessible and fits, in both schemes and on a phone', async () => {
      const { id, url } = await newLink();
      const { context, page, problems } = await opened(url);
      await page.getByRole('heading', { name: 'Executions' }).waitFor();
      const pages = {
        portal: ['executions', 'Executions'],
        execution: [`executions/${executionId()}`, 'sandbox-text'],
        webhooks: ['webhooks', 'Webhooks'],
        keys: ['keys', 'API keys'],
        usage: ['usage', 'Usage'],
      } as const;
      for (const [name, [path, heading]] of Object.entries(pages)) {
        await page.setViewportSize({ width: 1440, height: 900 });
        await page.goto(`${state().base_url}/console/s/${id}/${path}`);
        await page.getByRole('heading', { name: heading }).first().waitFor();
        await until(
          'the page is loaded',
          async () => (await page.getByRole('status', { name: 'Loading' }).count()) === 0,
        );
        if (name === 'portal' && process.env['CONSOLE_SCREENSHOTS'])
          await page.screenshot({ path: join(screenshots, 'portal.png') });
        expect(await page.title()).toMatch(new RegExp(`^${heading}.* · Portal$`));
        for (const width of [1440, 360]) {
          await page.setViewportSize({ width, height: 800 });
          expect([name, width, await tooWide(page)]).toEqual([name, width, []]);
          for (const colorScheme of ['dark', 'light'] as const) {
            await page.emulateMedia({ colorScheme });
            expect([name, width, colorScheme, await violations(page)]).toEqual([
              name,
              width,
              colorScheme,
              [],
            ]);
          }
        }
      }
      expect(problems).toEqual([]);
      await context.close();
    });
  });
}
