import { apiClient } from '@holdfast/testkit/apiClient';
import { until } from '@holdfast/testkit/until';
import { hostile, owned, tooWide, untilText } from '../pages.ts';
import { admin, ann, post, runExecution, val } from './operator.ts';
import { expect, open, signIn, test } from './world.ts';

type Transactions = { data: { kind: string; amount: string; reason: string | null }[] };

/** Does something so often, a few at a time. */
async function times(count: number, work: () => Promise<unknown>): Promise<void> {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: 5 }, worker));
}

let id: string;

test.beforeAll(async ({ world }) => {
  id = await post(world.readState(), '/organizations', { name: hostile });
});

test.describe('an organization', () => {
  test('is corrected once however often it is submitted, and only when its name is typed', async ({
    ann: page,
    problems,
    state,
  }) => {
    await open(page, `/organizations/${id}`);
    await page.getByRole('heading', { name: hostile }).waitFor();
    await page.getByRole('button', { name: 'Correct' }).click();
    const submit = page.getByRole('dialog').getByRole('button', { name: 'Correct' });
    await page.getByLabel('Amount in USD').fill('7.00000001');
    await page.getByLabel('Reason').fill(hostile);
    expect(await submit.isDisabled()).toBe(true);
    const submitOften =
      'for (let i = 0; i < 5; i++) document.querySelector("dialog[open] form").requestSubmit()';
    await page.evaluate(submitOften);
    await page.getByLabel(/to confirm/).fill(hostile);
    await page.evaluate(submitOften);
    await untilText(page, 'Corrected by 7.00000001 USD.');
    const { data } = await admin<Transactions>(state, `/organizations/${id}/balance/transactions`);
    expect(data).toMatchObject([{ kind: 'correction', amount: '7.00000001', reason: hostile }]);
    await page.getByRole('rowheader', { name: 'correction' }).waitFor();
    expect(await owned(page)).toBeUndefined();
    expect(problems).toEqual([]);
  });

  test('shows what is charged while its page is open, to the operator and in the portal', async ({
    ann: page,
    context,
    state,
  }) => {
    const path = `/organizations/${state.organization_id}`;
    await open(page, path);
    await page.getByRole('button', { name: 'Open the portal' }).click();
    await until('the portal is open', () => Promise.resolve(context.pages().length === 2));
    const portal = context.pages()[1] ?? page;
    await portal.getByRole('link', { name: 'Usage' }).click();
    const ofExecutions = 'th a[href*="/executions/exec_"]';
    for (const one of [page, portal]) await one.locator(ofExecutions).first().waitFor();
    const id = await runExecution(state, { model: 'sandbox-text', input: { prompt: 'meanwhile' } });
    const { balance } = await admin<{ balance: { available: string } }>(state, path);
    for (const one of [page, portal]) {
      await one.locator(`th a[href$="${id}"]`).first().waitFor();
      await one.locator(`dd:has-text("${balance.available}")`).first().waitFor();
    }
  });

  test('fits with a long name and a large balance, whose amounts do not overlap', async ({
    ann: page,
    state,
  }) => {
    const large = await post(state, '/organizations', { name: 'unbroken'.repeat(20) });
    await post(state, `/organizations/${large}/top-ups`, { amount: '987654321.87654321' });
    for (const path of ['/organizations', `/organizations/${large}`]) {
      await open(page, path);
      await page.getByText(/^(unbroken)+$/).waitFor();
      for (const width of [1440, 1024, 360]) {
        await page.setViewportSize({ width, height: 844 });
        expect([path, width, await tooWide(page)]).toEqual([path, width, []]);
        const cut = '[...document.querySelectorAll("dd")].filter((one) => one.scrollWidth > one.clientWidth)';
        expect([path, width, await page.evaluate(`${cut}.length`)]).toEqual([path, width, 0]);
      }
    }
  });

  test('is created ready to run by one form, and goes on where that failed', async ({ ann: page, state }) => {
    await open(page, '/organizations');
    await page.getByRole('button', { name: 'Create organization' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Name').fill('Ready to run');
    await form.getByLabel(/First top-up/).fill('12.50');
    await form.getByLabel(/Webhook endpoint/).fill('http://127.0.0.1:7/first');
    let isLost = true;
    await page.route(/\/api-keys$/, async (route) => {
      if (isLost) await route.abort();
      else await route.continue();
      isLost = false;
    });
    await form.getByRole('button', { name: 'Create organization' }).click();
    await untilText(page, 'The server did not respond.');
    await form.getByRole('button', { name: 'Create organization' }).click();
    const key = await page.locator('pre', { hasText: /^sk_/ }).textContent();
    await page.locator('pre', { hasText: /^whsec_/ }).waitFor();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('heading', { name: 'Ready to run' }).waitFor();
    await page.getByRole('link', { name: 'http://127.0.0.1:7/first' }).waitFor();
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByLabel('URL').fill('http://127.0.0.1:7/second');
    await page.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }).click();
    await page.locator('pre', { hasText: /^whsec_/ }).waitFor();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('link', { name: 'http://127.0.0.1:7/second' }).waitFor();
    await page.unroute(/\/api-keys$/);
    const headers = { Authorization: `Bearer ${key}` };
    const balance = await (await fetch(`${state.base_url}/v1/balance`, { headers })).json();
    expect(balance).toMatchObject({ available: '12.50' });
    const { data } = await admin<{ data: object[] }>(state, '/organizations?text=Ready%20to%20run');
    expect(data).toHaveLength(1);
  });

  test('is found by part of its name, and named in lists and filters, however many were created since', async ({
    ann: page,
    problems,
    state,
  }) => {
    const old = await post(state, '/organizations', { name: 'Old & Sons' });
    await times(100, () => post(state, '/organizations', { name: 'Newer' }));
    const created = await apiClient(state.admin_url, ann).post(`/admin/v1/organizations/${old}/api-keys`, {
      name: 'for an endpoint',
    });
    await post(state, `/organizations/${old}/api-keys`, {
      name: 'makes a test organization',
      mode: 'test',
    });
    await apiClient(state.base_url, String(created.body['key'])).post('/v1/webhooks/endpoints', {
      url: 'http://127.0.0.1:9/of-old-sons',
      events: ['execution.completed'],
    });
    await open(page, '/organizations');
    await page.getByText('Newer').first().waitFor();
    expect(await page.getByText('Old & Sons').count()).toBe(0);
    const search = page.locator('input[type=search]');
    await search.fill('& SONS');
    await page.keyboard.press('Enter');
    await page.getByText('Old & Sons').waitFor();
    expect(await page.getByText('Newer').count()).toBe(0);
    await page.reload();
    await page.getByText('Old & Sons').waitFor();
    await search.fill('no such name');
    await page.keyboard.press('Enter');
    await untilText(page, 'No organization matches');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('Newer').first().waitFor();
    await open(page, '/webhooks?state=active');
    await page.locator('input[placeholder="Name or id"]').fill('& sons');
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`state=active&organization=${old}`));
    await page.locator(`td a[href$="${old}"]`).getByText('Old & Sons').waitFor();
    const field = page.locator('input[placeholder="Name or id"]');
    const shown = `document.querySelector('input[placeholder="Name or id"]').value`;
    await until('the filter shows its name', async () => (await page.evaluate(shown)) === 'Old & Sons');
    await field.fill('no such name');
    await page.keyboard.press('Enter');
    await untilText(page, 'No organization has “no such name” in its name.');
    await field.fill('ewe');
    await page.keyboard.press('Enter');
    await untilText(page, 'Several match “ewe”. Choose one:');
    await page.getByRole('button', { name: 'Newer' }).first().click();
    await until('the filter shows the chosen name', async () => (await page.evaluate(shown)) === 'Newer');
    await open(page, '/webhooks/deliveries');
    const endpoint = page.locator('input[placeholder="URL or id"]');
    await endpoint.fill('no-such-host');
    await page.keyboard.press('Enter');
    await untilText(page, 'No endpoint has “no-such-host” in its URL or description.');
    await endpoint.fill('9/of-old');
    await page.keyboard.press('Enter');
    await page.waitForURL(/endpoint=wh_/);
    expect(problems).toEqual([]);
  });

  test('shows every key, however many were created since', async ({ ann: page, state }) => {
    const api = apiClient(state.admin_url, ann);
    const busy = await post(state, '/organizations', { name: 'A key for each build' });
    const keys = `/organizations/${busy}/api-keys`;
    await post(state, keys, { name: 'the oldest' });
    await times(100, async () => {
      const key = await post(state, keys, { name: 'build' });
      await api.fetch(`/admin/v1${keys}/${key}`, { method: 'DELETE' });
    });
    await open(page, `/organizations/${busy}`);
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByText('the oldest', { exact: true }).waitFor();
  });

  test('gets a key with the chosen scopes, whose value is shown once; it is rotated and revoked', async ({
    ann: page,
    state,
  }) => {
    const permits = async (key: string, path: string) =>
      (await fetch(`${state.base_url}${path}`, { headers: { Authorization: `Bearer ${key}` } })).status;
    const shown = async () => (await page.getByRole('region', { name: 'API key' }).textContent()) ?? '';
    await open(page, `/organizations/${id}`);
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name').fill(hostile);
    for (const scope of ['executions:write', 'files', 'webhooks', 'keys', 'balance', 'portal'])
      await page.getByRole('checkbox', { name: scope, exact: true }).click();
    await page.evaluate(
      'for (let i = 0; i < 5; i++) document.querySelector("dialog[open] form").requestSubmit()',
    );
    await untilText(page, 'Copy it now: it is not shown again.');
    const first = await shown();
    expect([await permits(first, '/v1/executions'), await permits(first, '/v1/balance')]).toEqual([200, 403]);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await until('the value is gone', async () => (await page.getByText(first).count()) === 0);
    await page.getByRole('button', { name: 'Rotate' }).click();
    await page.locator('dialog[open] button').last().click();
    await until('another value is shown', async () => (await shown()).startsWith('sk_'));
    const second = await shown();
    expect(second).not.toBe(first);
    expect(await permits(second, '/v1/executions')).toBe(200);
    const focused = () => page.evaluate('document.activeElement.textContent');
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await until('its button has the focus', async () => (await focused()) === 'Rotate');
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.locator('dialog[open] button').last().click();
    await until('the key is refused', async () => (await permits(second, '/v1/executions')) === 401);
    await until('the heading has the focus', async () => (await focused()) === hostile);
  });

  test('shows its portal to an admin in a tab of its own', async ({ ann: page, context, state }) => {
    await open(page, `/organizations/${state.organization_id}`);
    await page.getByRole('button', { name: 'Open the portal' }).click();
    const portal = await until('a tab is open', () => context.pages()[1]);
    await portal.getByRole('heading', { name: 'Executions' }).waitFor();
    expect(portal.url()).toMatch(`${state.base_url}/console/s/pses_`);
    expect(await portal.evaluate('window.opener')).toBeNull();
  });

  test('gets a spend limit and loses it, and a viewer can do none of this', async ({
    ann: page,
    state,
    browser,
  }) => {
    await open(page, `/organizations/${id}`);
    await page.getByRole('button', { name: 'Spend limit' }).click();
    await page.getByLabel('Amount in USD').fill('12.5');
    await page.getByRole('button', { name: 'Set limit' }).click();
    await untilText(page, '12.50');
    const limit = async () =>
      (await admin<{ spend_limit: { amount: string } | null }>(state, `/organizations/${id}`)).spend_limit;
    expect((await limit())?.amount).toBe('12.50');
    await page.getByRole('button', { name: 'Spend limit' }).click();
    await page.getByRole('button', { name: 'Remove limit' }).click();
    await until('the limit is removed', async () => (await limit()) === null);
    const viewer = await (await browser.newContext()).newPage();
    await signIn(viewer, state, val);
    await open(viewer, `/organizations/${id}`);
    for (const name of ['Top up', 'Correct', 'Create key', 'Spend limit', 'Open the portal']) {
      const button = viewer.getByRole('button', { name });
      await button.waitFor();
      expect([name, await button.isDisabled()]).toEqual([name, true]);
    }
  });
});
