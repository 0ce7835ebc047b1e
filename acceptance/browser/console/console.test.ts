import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { servicePort } from '@holdfast/local/launch/ports';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type LocalHoldfast, startLocalHoldfast } from '../../stack/localHoldfast.ts';
import { type Browser, openBrowser, type Page } from './browser.ts';
import { describeOidc, startLogin } from './oidc.ts';
import { describeOperations } from './operations.ts';
import {
  admin,
  ann,
  hostile,
  runExecution,
  screenshots,
  signIn,
  startReceiver,
  tooWide,
  untilText,
  val,
  violations,
} from './operator.ts';
import { describeOrganizations } from './organizations.ts';
import { describeOutages } from './outages.ts';
import { describePlayground } from './playground.ts';
import { describePortal } from './portal.ts';
import { describeSearch } from './search.ts';

const home = mkdtempSync(join(tmpdir(), 'holdfast-console-'));
// PostgreSQL runs as another user when we are root.
chmodSync(home, 0o755);

let holdfast: LocalHoldfast;
let browser: Browser;
let login: Awaited<ReturnType<typeof startLogin>>;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let executionId: string;
let imageId: string;

const state = () => holdfast.readState();
/** The pages of docs/console.md with an image. */
const shown = ['overview', 'playground', 'executions', 'execution', 'organization', 'webhooks'];

const owned = (page: Page) => page.evaluate<unknown>('window.owned');
const open = async (page: Page, path: string) => await page.goto(`${state().admin_url}/console${path}`);

beforeAll(async () => {
  login = await startLogin(await servicePort());
  [holdfast, browser, receiver] = await Promise.all([
    startLocalHoldfast(home, {
      ADMIN_TOKEN: `ann:${ann},val:${val}`,
      ...login.settings,
      ADMIN_ROLES: 'val:viewer',
      WEBHOOK_ALLOW_HTTP: 'true',
      // On a busy machine the second attempt, too, fails before the receiver accepts anything.
      WEBHOOK_RETRY_DELAYS_S: '0,20,20,20,20',
      EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
    }),
    openBrowser(),
    startReceiver(),
  ]);
  const { base_url: baseUrl, api_key: key } = state();
  await fetch(`${baseUrl}/v1/webhooks/endpoints`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      url: receiver.url,
      events: ['execution.completed'],
      description: 'Orders of the shop',
    }),
  });
  const request = {
    model: 'sandbox-text',
    input: { prompt: hostile },
    metadata: { order: 'A-17', note: hostile },
  };
  executionId = await runExecution(state(), request);
  await runExecution(state(), { model: 'sandbox-text', input: { prompt: 'x', fail: 'MODEL_OVERLOADED' } });
  imageId = await runExecution(state(), {
    model: 'sandbox-image',
    input: { prompt: 'A lighthouse at dusk' },
    metadata: { order: 'A-18' },
  });
}, 180_000);

afterAll(async () => {
  await browser?.close();
  await holdfast?.stop();
  receiver?.close();
  await login?.provider.stop();
  rmSync(home, { recursive: true, force: true });
});

describe('signing in', () => {
  it('works once with a link, whose token leaves the address at once', async () => {
    const { admin_url: url } = state();
    const response = await fetch(`${url}/admin/v1/sign-in-links`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${ann}` },
    });
    const { token } = (await response.json()) as { token: string };
    const context = await browser.newContext();
    const page = await context.newPage();
    await open(page, `/#sign-in=${token}`);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(page.url()).toBe(`${url}/console/`);
    const cookies = await context.cookies();
    expect(cookies).toMatchObject([{ name: 'holdfast_session', httpOnly: true, sameSite: 'Strict' }]);
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
    await page.evaluate(
      `fetch('/admin/v1/session', { method: 'DELETE', headers: { 'X-Holdfast-Console': '1' } })`,
    );
    await page.getByRole('link', { name: 'Models' }).click();
    await page.getByLabel('Admin token').waitFor();
    expect(await page.getByText('The link was used before').count()).toBe(0);
    await context.close();
    const other = await browser.newContext();
    const again = await other.newPage();
    await open(again, `/#sign-in=${token}`);
    await untilText(again, 'The link was used before or has expired');
    await other.close();
  });

  it('works with a link in an open tab, signed out or in as someone else', async () => {
    const { admin_url: url } = state();
    const linkOf = async (token: string) => {
      const headers = { Authorization: `Bearer ${token}` };
      const response = await fetch(`${url}/admin/v1/sign-in-links`, { method: 'POST', headers });
      return ((await response.json()) as { token: string }).token;
    };
    const context = await browser.newContext();
    const page = await context.newPage();
    await open(page, '/');
    await page.getByLabel('Admin token').waitFor();
    await page.evaluate('window.wasOpen = true');
    await open(page, `/#sign-in=${await linkOf(val)}`);
    await page.getByText('(viewer)').waitFor();
    await open(page, `/#sign-in=${await linkOf(ann)}`);
    await page.getByText('(admin)').waitFor();
    expect(await page.evaluate('window.wasOpen')).toBe(true);
    expect(page.url()).toBe(`${url}/console/`);
    await context.close();
  });

  it('refuses a wrong token and says so, and ends when the session is revoked', async () => {
    const context = await browser.newContext();
    const wrong = await context.newPage();
    await open(wrong, '/');
    await wrong.getByLabel('Admin token').fill('not-a-token-of-anybody');
    await wrong.getByRole('button', { name: 'Sign in', exact: true }).click();
    await untilText(wrong, /The token is wrong/);
    await context.close();
    const { page, context: session } = await signIn(browser, state(), ann);
    await open(page, '/sessions');
    const own = page.locator('li:has-text("this session")').getByRole('button', { name: 'End session' });
    await own.click();
    await page.route(/\/sessions\/ses_/, (route) => route.abort());
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('dialog').getByText('The server did not respond.').waitFor();
    await page.reload();
    await page.unroute(/\/sessions\/ses_/);
    await own.click();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await session.close();
  });

  it('is needed again in a tab whose session another tab has ended', async () => {
    const { page, context } = await signIn(browser, state(), ann);
    const other = await context.newPage();
    await open(other, '/sessions');
    const own = other.locator('li:has-text("this session")').getByRole('button', { name: 'End session' });
    await own.waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await own.click();
    await other.getByRole('button', { name: 'Confirm' }).click();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await context.close();
  });

  it('lasts until signing out has succeeded, and says why it did not', async () => {
    const { page, context } = await signIn(browser, state(), ann);
    const session = /\/admin\/v1\/session$/;
    await page.route(session, (route) =>
      route.request().method() === 'DELETE' ? route.abort() : route.continue(),
    );
    await page.getByRole('button', { name: 'Sign out' }).click();
    await untilText(page, 'The server did not respond.');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.unroute(session);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await context.close();
  });
});

describe('the pages', () => {
  it('find an execution by keyboard, filter and metadata', async () => {
    const { page, context } = await signIn(browser, state(), ann);
    await open(page, '/executions?from=garbage');
    await untilText(page, '“garbage” in the address is not a time');
    await open(page, '/executions?q=2024&status={"no":"status"}&model=a&model=b');
    await untilText(page, 'status must be one of');
    expect(await page.evaluate('document.querySelector("input[type=search]").value')).toBe('2024');
    await open(page, '/executions/exec_of_nobody');
    await untilText(page, 'There is no such execution.');
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await open(page, '/executions');
    const rows = page.locator('tbody tr');
    await until('all executions are listed', async () => (await rows.count()) === 3);
    await page.getByLabel('Status').selectOption('FAILED');
    await until('one execution failed', async () => (await rows.count()) === 1);
    const cut =
      '[...document.querySelectorAll("td *")].filter((one) => one.scrollWidth > one.clientWidth + 1)';
    expect(await page.evaluate(`${cut}.map(({ textContent }) => textContent)`)).toEqual([]);
    await page.getByText('Organization, Error code').click();
    await page.locator('input[placeholder="Name or id"]').fill('demo');
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`organization=${state().organization_id}`));
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await until('all executions are listed again', async () => (await rows.count()) === 3);
    await page.getByRole('heading', { name: 'Executions' }).click();
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
    await page.locator('input[type=search]').fill('order=A-17');
    await page.keyboard.press('Enter');
    await until('one execution has this metadata', async () => (await rows.count()) === 1);
    const inBase64 = 'q83vEjRWeJCrze8SNFZ4kA==';
    const asked = new Set<string | null>();
    page.on('request', (request) => {
      if (request.url) asked.add(new URL(request.url()).searchParams.get('idempotency_key'));
    });
    await page.locator('input[type=search]').fill(inBase64);
    await page.keyboard.press('Enter');
    await until('the idempotency key is searched for', () => Promise.resolve(asked.has(inBase64)));
    await page.locator('input[type=search]').fill('order=A-17');
    await page.keyboard.press('Enter');
    await until('the execution is found again', async () => (await rows.count()) === 1);
    await page.getByRole('heading', { name: 'Executions' }).click();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(executionId));
    await context.close();
  });

  it('keep the focus, or give it to the heading, where its element goes away', async () => {
    const { page, context } = await signIn(browser, state(), ann);
    const focused = () =>
      page.evaluate<string>(
        'document.activeElement.getAttribute("type") ?? document.activeElement.textContent',
      );
    expect(await focused()).not.toBe('Overview');
    await page.getByRole('link', { name: 'Organizations' }).click();
    await until('the heading has it', async () => (await focused()) === 'Organizations');
    await open(page, '/executions');
    await page.locator('tbody tr').first().waitFor();
    expect(await focused()).not.toBe('Executions');
    await page.keyboard.press('/');
    await page.locator('input[type=search]').fill('order=A-17');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=order/);
    expect(await focused()).toBe('search');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.waitForURL(/executions$/);
    expect(await focused()).toBe('search');
    await page.getByText(executionId).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/exec_/);
    await until('its heading has it', async () => (await focused()).startsWith('sandbox-'));
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await until('the button has it again', async () => (await focused()) === 'button');
    await context.close();
  });

  it('lead back to a list with its filters', async () => {
    const { page, context } = await signIn(browser, state(), ann);
    await open(page, '/executions?status=FAILED');
    await page.locator('tbody a').first().click();
    await page.getByRole('link', { name: '← Executions' }).click();
    await page.waitForURL(/executions\?status=FAILED/);
    await context.close();
  });

  it('say that a list is not live while older rows are shown, and make it live again', async () => {
    const { page, context } = await signIn(browser, state(), ann);
    await page.route(/\/admin\/v1\/executions\?/, async (route) => {
      const isNext = route.request().url().includes('cursor=');
      const id = isNext ? imageId : executionId;
      const { data } = await admin<{ data: object[] }>(state(), `/executions?id_prefix=${id}`);
      await route.fulfill({ status: 200, json: { data, next_cursor: isNext ? null : executionId } });
    });
    await open(page, '/executions');
    await page.getByRole('checkbox', { name: 'Live', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByText(imageId).waitFor();
    await page.getByRole('checkbox', { name: /^Live \(paused/ }).check();
    await page.getByText(imageId).waitFor({ state: 'hidden' });
    await page.getByRole('checkbox', { name: 'Live', exact: true }).waitFor();
    await context.close();
  });

  it('show a duration of almost two minutes as two', async () => {
    const { page, context } = await signIn(browser, state(), ann);
    const { data } = await admin<{ data: object[] }>(state(), `/executions?id_prefix=${executionId}`);
    const times = { created_at: '2026-11-26T10:00:00.000Z', completed_at: '2026-11-26T10:01:59.700Z' };
    await page.route(/\/admin\/v1\/executions\?/, (route) =>
      route.fulfill({ status: 200, json: { data: [{ ...data[0], ...times }], next_cursor: null } }),
    );
    await open(page, '/executions');
    await untilText(page, '2 min 0 s');
    await context.close();
  });

  it('ask for no more of a search once a page of it was refused', async () => {
    const { page, context } = await signIn(browser, state(), ann);
    let refused = 0;
    await page.route(/\/admin\/v1\/actions\?/, async (route) => {
      const isNext = route.request().url().includes('cursor=');
      const empty = { data: [], has_more: true, next_cursor: 'act_1' };
      const refusal = { error: { code: 'VALIDATION_ERROR', message: 'This cursor is unknown.' } };
      if (isNext) refused++;
      await route.fulfill(isNext ? { status: 400, json: refusal } : { status: 200, json: empty });
    });
    await open(page, '/actions');
    await untilText(page, 'This cursor is unknown.');
    // A page that went on would have asked again by then.
    for (let n = 0; n < 20; n++) await page.evaluate(`fetch('/admin/v1/session').then(() => null)`);
    expect(refused).toBe(1);
    await context.close();
  });

  it('show an execution whole, run nothing of what clients and receivers wrote, and redeliver', async () => {
    const { page, context, problems } = await signIn(browser, state(), ann);
    await open(page, `/executions/${executionId}`);
    await untilText(page, 'Attempt 1 at sandbox started');
    for (const kind of ['hold', 'settle'])
      await page.getByRole('rowheader', { name: kind }).first().waitFor();
    await untilText(page, 'execution.completed');
    await page
      .getByText(/^[1-9]\d* attempts?$/)
      .first()
      .click();
    await untilText(page, hostile);
    expect(await owned(page)).toBeUndefined();
    receiver.accept();
    await page.getByRole('button', { name: 'Redeliver' }).first().click();
    await page.getByRole('button', { name: 'Confirm' }).click();
    // A failing endpoint is probed first, by another delivery of its own.
    const delivered = page.getByText('delivered', { exact: true });
    await until('the delivery has succeeded', async () => (await delivered.count()) > 0, 120_000);
    expect(problems).toEqual([]);
    await context.close();
  }, 180_000);

  it('cancel a running execution after a question, and erase it', async () => {
    const { base_url: baseUrl, api_key: key } = state();
    const created = await fetch(`${baseUrl}/v1/executions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        model: 'sandbox-text',
        input: { prompt: 'slow', delay_ms: 500_000 },
        webhook_url: receiver.url,
      }),
    });
    const { id } = (await created.json()) as { id: string };
    const { page, context } = await signIn(browser, state(), ann);
    await open(page, `/executions/${id}`);
    await page.getByRole('button', { name: 'Cancel execution' }).click();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('rowheader', { name: 'release' }).waitFor();
    await page.getByRole('button', { name: 'Erase' }).click();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await untilText(page, 'Input, output and files were erased.');
    const redeliver = page.getByRole('button', { name: 'Redeliver' });
    await redeliver.first().waitFor();
    expect(await redeliver.first().isDisabled()).toBe(true);
    const { data } = await admin<{ data: { actor: string; action: string }[] }>(state(), '/actions?limit=2');
    expect(data).toMatchObject([
      { actor: 'ann', action: 'DELETE /admin/v1/organizations/{organization_id}/executions/{id}' },
      { actor: 'ann', action: 'POST /admin/v1/executions/{id}/cancel' },
    ]);
    await context.close();
  });

  it('top up once, however often the button is pressed', async () => {
    const { page, context } = await signIn(browser, state(), ann);
    const { organization_id: id } = state();
    const { name } = await admin<{ name: string }>(state(), `/organizations/${id}`);
    await open(page, `/organizations/${id}`);
    // As on plain http in a private network.
    await page.evaluate('delete Crypto.prototype.randomUUID');
    await page.getByRole('button', { name: 'Top up' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Top up' }).isDisabled()).toBe(true);
    const amount = page.getByLabel('Amount in USD');
    expect(await amount.getAttribute('title')).toContain('with a point');
    await amount.fill('12.34567891');
    await page.getByLabel(/to confirm/).fill(name);
    await page.evaluate(
      'for (let i = 0; i < 5; i++) document.querySelector("dialog[open] form").requestSubmit()',
    );
    await untilText(page, 'Topped up 12.34567891 USD.');
    const { data } = await admin<{ data: { kind: string; amount: string }[] }>(
      state(),
      `/organizations/${id}/balance/transactions?kind=top_up`,
    );
    expect(data.filter(({ amount }) => amount === '12.34567891')).toHaveLength(1);
    await context.close();
  });

  it('let a viewer look and do nothing else', async () => {
    const { page, context } = await signIn(browser, state(), val);
    await open(page, `/executions/${executionId}`);
    const erase = page.getByRole('button', { name: 'Erase' });
    await erase.waitFor();
    expect(await erase.isDisabled()).toBe(true);
    const status = await page.evaluate(
      `fetch('/admin/v1/executions/${executionId}/cancel', { method: 'POST', headers: { 'X-Holdfast-Console': '1' } })
         .then(({ status }) => status)`,
    );
    expect(status).toBe(403);
    await context.close();
  });

  it('are accessible and fit, in both schemes and on a phone', async () => {
    const { page, context, problems } = await signIn(browser, state(), ann);
    const pages = {
      overview: ['/', 'Overview'],
      webhooks: ['/webhooks', 'Webhooks'],
      deliveries: ['/webhooks/deliveries', 'Webhooks'],
      queues: ['/queues', 'Queues'],
      audit: ['/audit', 'Audit'],
      executions: ['/executions', 'Executions'],
      execution: [`/executions/${imageId}`, 'sandbox-image'],
      organizations: ['/organizations', 'Organizations'],
      organization: [`/organizations/${state().organization_id}`, /./],
      models: ['/models', 'Models'],
      model: ['/models/sandbox-image', 'Sandbox image'],
      playground: ['/playground', 'Playground'],
      actions: ['/actions', 'Actions'],
      sessions: ['/sessions', 'Sessions'],
    } as const;
    if (process.env['CONSOLE_SCREENSHOTS']) mkdirSync(screenshots, { recursive: true });
    for (const [name, [path, heading]] of Object.entries(pages)) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await open(page, path);
      await page.getByRole('heading', { name: heading }).first().waitFor();
      await until(
        'the page is loaded',
        async () => (await page.getByRole('status', { name: 'Loading' }).count()) === 0,
      );
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        expect([name, colorScheme, await violations(page)]).toEqual([name, colorScheme, []]);
      }
      if (process.env['CONSOLE_SCREENSHOTS'] && shown.includes(name))
        await page.screenshot({ path: join(screenshots, `${name}.png`) });
      for (const width of [1024, 360]) {
        await page.setViewportSize({ width, height: 800 });
        expect([name, width, await tooWide(page)]).toEqual([name, width, []]);
        expect(await violations(page)).toEqual([]);
      }
    }
    expect(problems).toEqual([]);
    await context.close();
  }, 240_000);

  it('have titles and headings of their own, also where there is nothing', async () => {
    const { page, context } = await signIn(browser, state(), ann);
    const { organization_id: organization } = state();
    const { name } = await admin<{ name: string }>(state(), `/organizations/${organization}`);
    const titles = {
      '/executions': 'Executions',
      '/webhooks/deliveries': 'Deliveries',
      [`/organizations/${organization}`]: name,
      [`/executions/${imageId}`]: `sandbox-image ${imageId}`,
      '/models/sandbox-image': 'Sandbox image',
      '/executions/exec_none': 'exec_none',
      '/models/none': 'There is no model none',
      '/none': 'Nothing is at this address',
    };
    for (const [path, title] of Object.entries(titles)) {
      await open(page, path);
      await until(
        `the title of ${path} is ${title}`,
        async () => (await page.title()) === `${title} · Holdfast console`,
      );
      expect([path, await violations(page)]).toEqual([path, []]);
    }
    await page.getByRole('link', { name: 'Queues' }).click();
    await until('the title follows', async () => (await page.title()) === 'Queues · Holdfast console');
    await page.route(/\/admin\/v1\/session$/, (route) => route.abort());
    await page.reload();
    await untilText(page, 'Trying again');
    expect(await violations(page)).toEqual([]);
    await context.close();
  });
});

describeOidc(() => ({ state: state(), browser }));
describeOperations({ state, browser: () => browser });

describePlayground(() => ({ state: state(), browser }));
describePortal({ state, browser: () => browser, executionId: () => executionId });
describeOrganizations(() => ({ state: state(), browser }));
describeOutages(() => ({ state: state(), browser }));
describeSearch(() => ({ state: state(), browser, executionId }));

describe('a session', () => {
  it('is of no use to a page of another origin, which can neither act nor frame the console', async () => {
    const { page, context } = await signIn(browser, state(), ann);
    const { admin_url: url } = state();
    const server = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.end(`<iframe src="${url}/console/"></iframe>`);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    // The same host, and so the same site: the cookie is sent.
    await page.goto(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`);
    const attack = (headers: string) =>
      page.evaluate<string>(
        `fetch('${url}/admin/v1/organizations', { method: 'POST', credentials: 'include', mode: '${headers === '{}' ? 'no-cors' : 'cors'}',
           headers: ${headers}, body: '{"name":"evil"}' }).then(({ status }) => String(status), () => 'refused')`,
      );
    await attack('{}');
    expect(await attack(`{ 'X-Holdfast-Console': '1', 'Content-Type': 'application/json' }`)).toBe('refused');
    const { data } = await admin<{ data: { name: string }[] }>(state(), '/organizations');
    expect(data.map(({ name }) => name)).not.toContain('evil');
    const head = await fetch(`${url}/console/`);
    expect(head.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(head.headers.get('x-frame-options')).toBe('SAMEORIGIN');
    server.close();
    await context.close();
  });

  it('outlives a killed gateway: the open page recovers by itself', async () => {
    const { page, context } = await signIn(browser, state(), ann);
    await open(page, '/executions');
    const rows = page.locator('tbody tr');
    await until('executions are listed', async () => (await rows.count()) > 0);
    const before = await rows.count();
    const { pid } = state().services['api-gateway'] ?? { pid: 0 };
    process.kill(pid, 'SIGKILL');
    await until('a new gateway accepts an execution', () =>
      runExecution(state(), { model: 'sandbox-text', input: { prompt: 'after' } }).then(
        (id) => Boolean(id),
        () => false,
      ),
    );
    await until('the page shows the new execution', async () => (await rows.count()) > before);
    await context.close();
  });
});
