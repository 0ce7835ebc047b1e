import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { LocalState } from '@holdfast/local/launch/stateFile';
import { until } from '@holdfast/testkit/until';
import type { Page } from '@playwright/test';
import { hostile, owned, tooWide, untilText, violations } from '../pages.ts';
import { newBatch, runExecution, screenshots, startReceiver } from './operator.ts';
import { test as base, expect } from './world.ts';

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

/** What a tenant does with the API of the demo organization. */
function tenantOf({ base_url: baseUrl, api_key: ownKey }: LocalState) {
  const request = async (method: string, path: string, key: string, body?: object) =>
    await fetch(`${baseUrl}${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const create = async <Made>(path: string, body: object) =>
    (await (await request('POST', path, ownKey, body)).json()) as Made;
  return {
    request,
    newLink: async (settings: object = {}) =>
      await create<{ id: string; url: string }>('/v1/portal-sessions', {
        capabilities: everything,
        ...settings,
      }),
    newEndpoint: async (url: string) =>
      (await create<{ id: string }>('/v1/webhooks/endpoints', { url, events: [] })).id,
  };
}

type Portal = {
  tenant: ReturnType<typeof tenantOf>;
  /** Opens the portal in the page, at this path of it; returns the id of the session. */
  enter(path?: string, settings?: object): Promise<string>;
};

const test = base.extend<Portal>({
  tenant: async ({ state }, use) => await use(tenantOf(state)),
  enter: async ({ page, state, tenant }, use) =>
    await use(async (path, settings) => {
      const { id, url } = await tenant.newLink(settings);
      await page.goto(url);
      await page.getByRole('heading', { name: 'Executions' }).waitFor();
      if (path !== undefined) await page.goto(`${state.base_url}/console/s/${id}/${path}`);
      return id;
    }),
});

/** Words that are the same in English and German, values of the API, and names. */
const inBoth =
  /^(← )?(demo|(April|August|September|November) \d{4}|Webhooks|Status|CSV|Name|URL|Test|[\d.,:/ –]*|.*[a-z0-9][_.:-][a-z0-9].*|English|Deutsch)$/;

/** The texts of a page's headings, navigation, fields, tables and buttons, once it has read what it shows. */
async function textsOn(page: Page): Promise<string[]> {
  await page.locator('main h1').waitFor();
  await until('the page is loaded', async () => (await page.locator('main .animate-pulse').count()) === 0);
  const named =
    'h1, h2, h3, nav a, th, dt, button, summary, legend, label > span, option, figcaption, li > span';
  const texts = await page.locator(named).allInnerTexts();
  return [
    ...new Set(
      texts
        .flatMap((text) => text.split('\n'))
        .map((text) => text.trim())
        .filter(Boolean),
    ),
  ];
}

test.describe('the portal', () => {
  test('is opened once by a link, whose token leaves the address at once', async ({
    page,
    context,
    state,
    browser,
    tenant,
  }) => {
    const { id, url } = await tenant.newLink({ theme: { accent: '#ffe600', color_scheme: 'dark' } });
    await page.goto(url);
    await page.getByRole('heading', { name: 'Executions' }).waitFor();
    expect(page.url()).toBe(`${state.base_url}/console/s/${id}/executions`);
    expect(await context.cookies()).toMatchObject([{ httpOnly: true, sameSite: 'Strict' }]);
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
    expect(await violations(page)).toEqual([]);
    await page.reload();
    await page.getByRole('heading', { name: 'Executions' }).waitFor();
    const again = await (await browser.newContext()).newPage();
    await again.goto(url);
    await untilText(again, 'The session has ended');
    expect(await violations(again)).toEqual([]);
  });

  test('is signed in to with an API key, which the browser does not keep', async ({
    page,
    context,
    state,
  }) => {
    await page.goto(`${state.base_url}/console/`);
    await page.getByLabel('API key').fill('sk_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await untilText(page, 'The API key is not valid');
    await page.getByLabel('API key').fill(state.api_key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Executions' }).waitFor();
    const kept = await page.evaluate<string>('document.cookie + JSON.stringify(localStorage)');
    expect(kept).toBe('{}');
    expect(JSON.stringify(await context.cookies())).not.toContain(state.api_key);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  test('stays open, and says why, when signing out fails', async ({ page, enter }) => {
    await enter();
    const session = /\/portal-session$/;
    const error = { code: 'SERVICE_UNAVAILABLE', message: 'The database does not respond.' };
    await page.route(session, (route) => route.fulfill({ status: 503, json: { error } }));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await untilText(page, error.message);
    await page.getByRole('heading', { name: 'Executions' }).waitFor();
    await page.unroute(session);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  test('shows an execution with its deliveries, runs nothing that others wrote, and redelivers', async ({
    page,
    problems,
    state,
    tenant,
    enter,
  }) => {
    const receiver = await startReceiver();
    receiver.accept();
    const endpointId = await tenant.newEndpoint(receiver.url);
    const execution = { model: 'sandbox-text', input: { prompt: hostile }, metadata: { note: hostile } };
    const executed = await runExecution(state, execution);
    await enter(`executions/${executed}`);
    await page.getByRole('region', { name: 'Input' }).getByText(JSON.stringify(hostile)).waitFor();
    await page.getByRole('button', { name: 'Redeliver' }).first().click();
    await page.locator('dialog[open] button').last().click();
    await until('the dialog is closed', async () => (await page.getByRole('dialog').count()) === 0);
    expect(await owned(page)).toBeUndefined();
    expect(problems).toEqual([]);
    await tenant.request('DELETE', `/v1/webhooks/endpoints/${endpointId}`, state.api_key);
    receiver.close();
  });

  test('shows the beginning of a long input, saves all of it, and says when it was erased', async ({
    page,
    state,
    tenant,
    enter,
  }) => {
    const input = { prompt: 'a long story '.repeat(5000) };
    const id = await runExecution(state, { model: 'sandbox-text', input });
    await enter(`executions/${id}`);
    await page.getByRole('region', { name: 'Input' }).waitFor();
    const shown = await page.getByRole('region', { name: 'Input' }).innerText();
    expect(shown.length).toBeLessThan(input.prompt.length);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the input' }).click();
    const saved = await (await downloading).path();
    expect(JSON.parse(readFileSync(saved, 'utf8'))).toEqual(input);
    await tenant.request('DELETE', `/v1/executions/${id}`, state.api_key);
    await page.reload();
    await until('input and output are gone', async () => (await page.getByText('were erased').count()) === 2);
  });

  test('opens the execution whose id is given, and lists those of a time', async ({ page, state, enter }) => {
    const id = await runExecution(state, { model: 'sandbox-text', input: { prompt: 'A hill' } });
    await enter('executions?to=2020-01-01T00:00');
    await untilText(page, 'No execution matches');
    await page.goto(page.url().replace('to=', 'from='));
    await page.locator(`a[data-row][href$="${id}"]`).waitFor();
    await page.getByLabel('Find by id').fill(` ${id} `);
    await page.getByRole('heading', { name: 'Output' }).waitFor();
    expect(page.url()).toMatch(new RegExp(`/executions/${id}$`));
  });

  test('lists the executions with a member of the metadata, which its address keeps', async ({
    page,
    world,
    enter,
  }) => {
    await enter('executions');
    const rows = page.locator('a[data-row]');
    await page.getByLabel('Find by metadata').fill('order = A-18');
    await page.getByLabel('Find by metadata').press('Enter');
    await until('one row is left', async () => (await rows.count()) === 1);
    await page.reload();
    await rows.first().click();
    await page.getByRole('heading', { name: 'Output' }).waitFor();
    expect(page.url()).toContain(world.imageId);
    await page.getByRole('link', { name: '← Executions' }).click();
    await until('the filter is kept', async () => (await rows.count()) === 1);
    await page.getByLabel('Find by metadata').fill('A-18');
    await page.getByLabel('Find by metadata').press('Enter');
    await untilText(page, 'names no metadata');
  });

  test('shows a batch that is paused, goes on with it, retries what failed, and has its results', async ({
    page,
    problems,
    state,
    enter,
  }) => {
    const id = await newBatch(state, { max_cost: '0', metadata: { note: hostile } });
    await enter('batches?status=paused');
    await page.locator(`a[href$="${id}"]`).click();
    await untilText(page, 'Paused: its next item would exceed the most that it may cost.');
    await page.getByRole('button', { name: 'Cancel batch' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel batch' }).click();
    await untilText(page, 'cancelled');
    const other = await newBatch(state, { defaults: { input: { delay_ms: 0 } } });
    await enter(`batches/${other}`);
    await untilText(page, '2 of 2 items have ended');
    await page.getByRole('button', { name: 'Retry failed items' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry failed items' }).click();
    await until('the dialog is closed', async () => (await page.getByRole('dialog').count()) === 0);
    await untilText(page, '2 of 2 items have ended');
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Other items (1)' }).click();
    expect((await downloading).suggestedFilename()).toBe(`${other}_errors.jsonl`);
    expect(await owned(page)).toBeUndefined();
    expect(problems).toEqual([]);
  });

  test('creates an endpoint and a key, shows their secrets once, and removes them', async ({
    page,
    state,
    tenant,
    enter,
  }) => {
    await enter();
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByLabel('URL').fill('https://example.com/portal');
    await page.getByLabel('execution.failed').check();
    await page.getByLabel('Dialect').selectOption('openai');
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
    const kept = await tenant.request(
      'GET',
      `/v1/webhooks/endpoints/${address.split('/').at(-1)}`,
      state.api_key,
    );
    expect(await kept.json()).toMatchObject({ dialect: 'openai', description: 'Orders of the shop' });
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.locator('dialog[open] button').last().click();
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
    expect((await tenant.request('GET', '/v1/balance', key)).status).toBe(200);
    expect((await tenant.request('GET', '/v1/executions', key)).status).toBe(403);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    // Not the first: the list may be read again later.
    const made = page.locator('li:has-text("from the portal")');
    await made.getByRole('button', { name: 'Revoke' }).click();
    await page.locator('dialog[open] button').last().click();
    await made.getByText('revoked').waitFor();
  });

  test('shows the types of events with examples, and sends one of them as a test', async ({
    page,
    problems,
    state,
    tenant,
    enter,
  }) => {
    const receiver = await startReceiver();
    receiver.accept();
    const id = await tenant.newEndpoint(receiver.url);
    await enter('webhooks');
    await page.getByRole('link', { name: 'Event types' }).click();
    await page.getByRole('heading', { name: 'batch.paused' }).waitFor();
    await page.getByText('Example', { exact: true }).first().click();
    await untilText(page, /"type": "execution.started"/);
    await page.goto(`${page.url().replace(/events$/, '')}${id}`);
    await page.getByRole('button', { name: 'Send test event' }).click();
    await page.getByLabel('Type of the event').selectOption('batch.completed');
    const sent = page.waitForRequest(/\/test$/);
    await page.getByRole('dialog').getByRole('button', { name: 'Send test event' }).click();
    expect((await sent).postDataJSON()).toEqual({ type: 'batch.completed' });
    await untilText(page, /200/);
    expect(problems).toEqual([]);
    await tenant.request('DELETE', `/v1/webhooks/endpoints/${id}`, state.api_key);
    receiver.close();
  });

  test('says what its buttons for an endpoint do, and why a test event failed', async ({
    page,
    state,
    tenant,
    enter,
  }) => {
    const receiver = await startReceiver();
    receiver.close();
    const endpointId = await tenant.newEndpoint(receiver.url);
    await enter(`webhooks/${endpointId}`);
    await page.getByRole('button', { name: 'Send test event' }).click();
    await page.locator('dialog[open] button').last().click();
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
    await page.locator('dialog[open] button').last().click();
    await untilText(page, '30,000 deliveries are sent again.');
    expect(calls).toBe(3);
    await tenant.request('DELETE', `/v1/webhooks/endpoints/${endpointId}`, state.api_key);
  });

  test('asks before its own key is revoked, and leads to another session once it has ended', async ({
    page,
    state,
    tenant,
  }) => {
    const made = await tenant.request('POST', '/v1/api-keys', state.api_key, {
      name: 'of this session',
      scopes: ['keys'],
      models: ['sandbox-text'],
    });
    const { key } = (await made.json()) as { key: string };
    await page.goto(`${state.base_url}/console/`);
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    const own = page.locator('li:has-text("of this session")');
    await own.getByText('keys · sandbox-text').waitFor();
    await own.getByRole('button', { name: 'Revoke' }).click();
    await untilText(page, 'this session ends at once');
    await page.locator('dialog[open] button').last().click();
    await untilText(page, 'The session has ended');
    await page.getByRole('link', { name: 'Sign in with an API key' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  test('says in words what changed the balance, and reads its usage again', async ({
    page,
    state,
    enter,
  }) => {
    await enter();
    await page.clock.install();
    await page.getByRole('link', { name: 'Usage' }).click();
    const total = page.locator('tr:has-text("Total")').first();
    await total.waitFor();
    const before = await total.textContent();
    const executed = await runExecution(state, { model: 'sandbox-text', input: { prompt: 'again' } });
    await until('the totals are those of now', async () => {
      await page.clock.runFor(5000);
      return (await total.textContent()) !== before;
    });
    const row = page.locator(`tr:has(a[href$="${executed}"])`);
    await row.getByRole('link', { name: 'Charge' }).waitFor();
    await page.getByRole('combobox', { name: 'By' }).selectOption('API key');
    await page.getByRole('table', { name: 'API key' }).getByText('Total').waitFor();
    await page.getByRole('link', { name: 'Monthly statement' }).click();
    await page.getByRole('table', { name: 'Charges by model' }).getByText('sandbox-text').waitFor();
  });

  test('shows the entry of its page in the navigation of a phone', async ({ page, enter }) => {
    await page.setViewportSize({ width: 320, height: 700 });
    await enter('usage', { return_url: 'https://example.com/' });
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    const right = `document.querySelector('nav [data-status=active]').getBoundingClientRect().right`;
    await until('it is within the page', async () => (await page.evaluate<number>(right)) <= 320);
  });

  test('shows that a key has expired, and does not offer to rotate it', async ({
    page,
    state,
    tenant,
    enter,
  }) => {
    const expires_at = new Date(Date.now() + 2000).toISOString();
    const made = await tenant.request('POST', '/v1/api-keys', state.api_key, {
      name: 'short-lived',
      expires_at,
    });
    const { key } = (await made.json()) as { key: string };
    await until(
      'the key has expired',
      async () => (await tenant.request('GET', '/v1/balance', key)).status === 401,
    );
    await enter('keys');
    const row = page.locator('li:has-text("short-lived")');
    await row.getByText('expired', { exact: true }).waitFor();
    expect(await row.getByRole('button', { name: 'Rotate' }).count()).toBe(0);
  });

  test('offers only what its capabilities allow', async ({ page, tenant }) => {
    await page.goto((await tenant.newLink({ capabilities: ['usage'] })).url);
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    for (const name of ['Executions', 'Webhooks', 'API keys'])
      expect([name, await page.getByRole('link', { name }).count()]).toEqual([name, 0]);
  });

  test('says that it has ended, on an open page, once its session is revoked', async ({
    page,
    state,
    tenant,
    enter,
  }) => {
    const id = await enter();
    await tenant.request('DELETE', `/v1/portal-sessions/${id}`, state.api_key);
    await untilText(page, 'The session has ended');
  });

  test('works in a frame of the named origin, and of no other', async ({
    page,
    context,
    problems,
    tenant,
  }) => {
    const site = await startSite();
    site.show((await tenant.newLink({ frame_ancestors: [site.origin] })).url);
    await page.goto(site.origin);
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
  });

  test('says that it cannot copy a new key in a frame that may not', async ({ page, tenant }) => {
    const site = await startSite();
    site.show((await tenant.newLink({ frame_ancestors: [site.origin] })).url);
    await page.goto(site.origin);
    const framed = page.frameLocator('iframe');
    await framed.getByRole('link', { name: 'API keys' }).click();
    await framed.getByRole('button', { name: 'Create key' }).click();
    await framed.getByRole('textbox', { name: 'Name' }).fill('in a frame');
    await framed.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await framed.getByRole('button', { name: 'Copy' }).click();
    await framed.getByRole('button', { name: 'The browser blocks copying' }).waitFor();
    site.close();
  });

  test('is accessible and fits, in both schemes and on a phone', async ({
    page,
    problems,
    state,
    world,
    enter,
  }) => {
    const id = await enter();
    const batchId = await newBatch(state, { max_cost: '0' });
    const pages = {
      portal: ['executions', 'Executions'],
      execution: [`executions/${world.executionId}`, 'sandbox-text'],
      batches: ['batches', 'Batches'],
      batch: [`batches/${batchId}`, 'sandbox-text'],
      webhooks: ['webhooks', 'Webhooks'],
      events: ['webhooks/events', 'Event types'],
      keys: ['keys', 'API keys'],
      usage: ['usage', 'Usage'],
      statement: ['usage/statement', 'Statement of'],
    } as const;
    for (const [name, [path, heading]] of Object.entries(pages)) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto(`${state.base_url}/console/s/${id}/${path}`);
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
          expect([name, width, colorScheme, await violations(page)]).toEqual([name, width, colorScheme, []]);
        }
      }
    }
    expect(problems).toEqual([]);
  });

  test('speaks the language of the browser or another that is chosen, and leaves no text in English', async ({
    page,
    browser,
    state,
    world,
    tenant,
  }) => {
    const portalOf = async (one: Page) => {
      const { id, url } = await tenant.newLink();
      await one.goto(url);
      await one.locator('main h1').waitFor();
      return `${state.base_url}/console/s/${id}`;
    };
    const german = await (await browser.newContext({ locale: 'de-DE', colorScheme: 'dark' })).newPage();
    const [ofEnglish, ofGerman] = [await portalOf(page), await portalOf(german)];
    const paths = ['executions', `executions/${world.executionId}`, 'batches', 'webhooks', 'webhooks/events'];
    for (const path of [...paths, 'keys', 'usage', 'usage/statement']) {
      await page.goto(`${ofEnglish}/${path}`);
      await german.goto(`${ofGerman}/${path}`);
      const [english, texts] = [await textsOn(page), await textsOn(german)];
      expect(texts.length).toBeGreaterThan(8);
      expect([path, texts.filter((text) => english.includes(text) && !inBoth.test(text))]).toEqual([
        path,
        [],
      ]);
      expect([path, await violations(german)]).toEqual([path, []]);
      for (const width of [1440, 1024, 390]) {
        await german.setViewportSize({ width, height: 900 });
        expect([path, width, await tooWide(german)]).toEqual([path, width, []]);
      }
    }
    expect(await german.locator('html').getAttribute('lang')).toBe('de');
    await untilText(german, /^Guthaben am Ende|^Guthaben jetzt/);
    await untilText(german, /^\d+,\d\d/);
    await german.getByLabel('Sprache').selectOption('English');
    await german.getByText('Balance at the beginning').waitFor();
    await german.reload();
    await german.getByText('Balance at the beginning').waitFor();
    expect(await german.locator('html').getAttribute('lang')).toBe('en');
    await german.context().close();
  });
});
