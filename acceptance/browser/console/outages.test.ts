import { until } from '@holdfast/testkit/until';
import type { Page } from '@playwright/test';
import { untilText } from '../pages.ts';
import { admin } from './operator.ts';
import { expect, open, test } from './world.ts';

const notice = 'The server did not respond. Trying again …';

const untilNoNotice = (page: Page) =>
  until('the page has read everything', async () => (await page.getByText(/Trying again/).count()) === 0);

test.describe('a page whose reads fail', () => {
  for (const [path, reads, shown] of [
    ['/organizations?q=demo', /\/admin\/v1\/organizations/, 'Demo'],
    ['/sessions', /\/admin\/v1\/sessions/, 'this session'],
    ['/models', /\/admin\/v1\/session$/, 'sandbox-text'],
  ] as const)
    test(`says so and tries until ${path} is shown`, async ({ ann: page }) => {
      await page.clock.install();
      let [isAway, failed] = [true, 0];
      await page.route(reads, async (route) => {
        if (!isAway) return await route.continue();
        failed++;
        await route.abort();
      });
      await open(page, path);
      await untilText(page, notice);
      const proceed = () => page.clock.runFor(5000);
      await until('it has tried for minutes', async () => {
        await proceed();
        return failed > 40;
      });
      isAway = false;
      await proceed();
      await untilText(page, shown);
      await untilNoNotice(page);
    });

  test('marks rows of the filter before, and shows no empty list, until those of the new one come', async ({
    ann: page,
  }) => {
    let isAway = false;
    await page.route(/\/admin\/v1\/organizations/, async (route) => {
      await (isAway ? route.abort() : route.continue());
    });
    await open(page, '/organizations?q=demo');
    const busy = page.locator('main [aria-busy=true]');
    const search = page.locator('input[type=search]');
    await page.getByText('Demo').waitFor();
    expect(await busy.count()).toBe(0);
    isAway = true;
    await search.fill('zzz');
    await page.keyboard.press('Enter');
    await busy.getByText('Demo').waitFor();
    isAway = false;
    await untilText(page, 'No organization matches');
    isAway = true;
    await search.fill('Demo');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=Demo/);
    await untilText(page, notice);
    expect(await page.getByText('No organization').count()).toBe(0);
    isAway = false;
    await page.getByText('Demo').waitFor();
    expect(await busy.count()).toBe(0);
  });

  test('is opened once the server is back, where none of its code had been loaded', async ({ ann: page }) => {
    await page.route(/./, (route) => route.abort());
    await page.getByRole('link', { name: 'Sessions' }).click();
    await untilText(page, notice);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.unroute(/./);
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
  });

  test('says so where the server accepts a read and stays silent', async ({ ann: page }) => {
    await page.clock.install();
    const heard = Promise.withResolvers<void>();
    let isSilent = true;
    await page.route(/\/admin\/v1\/organizations/, async (route) => {
      if (!isSilent) return await route.continue();
      heard.resolve();
    });
    await open(page, '/organizations?q=demo');
    await heard.promise;
    await page.clock.runFor(60_000);
    await untilText(page, notice);
    isSilent = false;
    // The page may have tried again in the silence.
    await page.clock.runFor(65_000);
    await untilText(page, 'Demo');
    await untilNoNotice(page);
  });

  test('shows why the server refused and stops trying after eight more reads, until it is asked to', async ({
    ann: page,
  }) => {
    await page.clock.install();
    let [isRefused, refused] = [true, 0];
    const error = { code: 'INTERNAL_ERROR', message: 'Something went wrong on our side.' };
    await page.route(/\/admin\/v1\/sessions/, async (route) => {
      if (!isRefused) return await route.continue();
      refused++;
      await route.fulfill({ status: 500, json: { error } });
    });
    await open(page, '/sessions');
    const again = page.getByRole('button', { name: 'Try again' });
    await until('it has stopped', async () => {
      await page.clock.runFor(5000);
      return (await again.count()) > 0;
    });
    await untilText(page, error.message);
    await untilNoNotice(page);
    await page.clock.runFor(60_000);
    expect(refused).toBe(9);
    isRefused = false;
    await again.click();
    await untilText(page, 'this session');
  });

  test('says so beside what it has read, and shows why the server refused', async ({
    ann: page,
    context,
  }) => {
    await open(page, '/executions');
    const rows = page.locator('tbody tr');
    await until('executions are listed', async () => (await rows.count()) > 0);
    await context.setOffline(true);
    await untilText(page, notice);
    expect(await rows.count()).toBeGreaterThan(0);
    await context.setOffline(false);
    await untilNoNotice(page);
    const error = { code: 'SERVICE_UNAVAILABLE', message: 'The database does not respond.' };
    await page.route(/\/admin\/v1\/overview/, (route) => route.fulfill({ status: 503, json: { error } }));
    await page.getByRole('link', { name: 'Overview' }).click();
    await untilText(page, 'The database does not respond. Trying again …');
  });
});

test.describe('a change whose response is lost', () => {
  /** The server applies the request, and the connection breaks before its response. */
  const loseFirst = async (page: Page, path: RegExp) => {
    let isFirst = true;
    await page.route(path, async (route) => {
      if (!isFirst || route.request().method() !== 'POST') return await route.continue();
      isFirst = false;
      await route.fetch();
      await route.abort();
    });
  };

  test('may be submitted again where it has an idempotency key, and is applied once', async ({
    ann: page,
    state,
  }) => {
    const path = `/organizations/${state.organization_id}`;
    const { name } = await admin<{ name: string }>(state, path);
    await loseFirst(page, /\/top-ups$/);
    await open(page, path);
    await page.getByRole('button', { name: 'Top up' }).click();
    await page.getByLabel('Amount in USD').fill('3.00000007');
    await page.getByLabel(/to confirm/).fill(name);
    const submit = page.getByRole('dialog').getByRole('button', { name: 'Top up' });
    await submit.click();
    await untilText(page, 'You can submit this again');
    await submit.click();
    await untilText(page, 'Topped up 3.00000007 USD.');
    const { data } = await admin<{ data: { amount: string }[] }>(state, `${path}/balance/transactions`);
    expect(data.filter(({ amount }) => amount === '3.00000007')).toHaveLength(1);
  });

  test('is not spoken of when its dialog is opened again', async ({ ann: page, state }) => {
    await page.route(/\/rotate$/, (route) => route.abort());
    await open(page, `/organizations/${state.organization_id}`);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Rotate' }).first().click();
    await page.locator('dialog[open] button').last().click();
    await untilText(page, 'It may have been applied: check this');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Rotate' }).first().click();
    await page.locator('dialog[open] button').last().waitFor();
    expect(await page.getByText('It may have been applied').count()).toBe(0);
  });

  test('is to be checked first where a second one would be another', async ({ ann: page, state }) => {
    await loseFirst(page, /\/api-keys$/);
    await open(page, `/organizations/${state.organization_id}`);
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name').fill('a key that was created');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await untilText(page, 'It may have been applied: check this');
    await page.reload();
    await page.getByText('a key that was created', { exact: true }).waitFor();
  });
});
