import { until } from '@holdfast/testkit/until';
import { runExecution } from './operator.ts';
import { expect, open, test } from './world.ts';

test.describe('a search', () => {
  test('filters while someone types, and the list before is one step back', async ({ ann: page, state }) => {
    const id = await runExecution(state, { model: 'sandbox-text', input: { prompt: 'of all' } });
    await open(page, '/executions');
    const rows = page.locator('tbody tr');
    const other = page.locator(`tbody a[href*="${id}"]`).first();
    await other.waitFor();
    for (const typed of ['order=', 'order=A', 'order=A-17'])
      await page.locator('input[type=search]').fill(typed);
    await page.waitForURL(/q=order%3DA-17/);
    await until('one execution has this metadata', async () => (await rows.count()) === 1);
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
    await page.evaluate('history.back()');
    await page.waitForURL(/executions$/);
    await other.waitFor();
    expect(await page.evaluate('document.querySelector("input[type=search]").value')).toBe('');
  });

  test('opens with ↓ and Enter what was typed, however late its rows come', async ({ ann: page, world }) => {
    await open(page, '/executions');
    await page.locator('tbody tr').first().waitFor();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(/metadata_value=A-17/, async (route) => {
      await released;
      await route.continue();
    });
    await page.keyboard.press('/');
    await page.locator('input[type=search]').fill('order=A-17');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/executions\?q=/);
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
    release();
    await page.waitForURL(new RegExp(`executions/${world.executionId}`));
  });

  test('opens a whole id that is pasted, of whatever kind', async ({ ann: page, state, world }) => {
    const { organization_id: organizationId } = state;
    for (const [id, path] of [
      [world.executionId, 'executions'],
      [organizationId, 'organizations'],
    ] as const) {
      await open(page, '/webhooks');
      const search = page.locator('input[type=search]');
      await search.fill(id);
      for (const key of ['Control+a', 'Control+x', 'Control+v']) await page.keyboard.press(key);
      await page.waitForURL(new RegExp(`console/${path}/${id}$`));
    }
  });
});

test.describe('a row', () => {
  for (const list of ['executions', 'webhooks', 'organizations', 'models'])
    test(`of ${list} opens wherever it is clicked, in a tab by the middle button, and not while its text is selected`, async ({
      ann: page,
      context,
    }) => {
      await open(page, `/${list}`);
      const link = page.locator('main a[data-row]').first();
      await link.waitFor();
      const path = String(await link.getAttribute('href'));
      const row = page.locator('main :is(tr, li):has(> a[data-row], > td > a[data-row])').first();
      await row.click({ button: 'middle', position: { x: 5, y: 5 } });
      await until('a tab is open', () => Promise.resolve(context.pages().length === 2));
      await until('it shows the page', () =>
        Promise.resolve(Boolean(context.pages().at(-1)?.url().endsWith(path))),
      );
      await page.evaluate(
        `document.querySelector('main a[data-row]').closest('tr, li').addEventListener('mouseup', (event) =>
           getSelection().selectAllChildren(event.currentTarget), { once: true })`,
      );
      await row.click({ position: { x: 5, y: 5 } });
      expect(new URL(page.url()).pathname).toBe(`/console/${list}`);
      await page.evaluate('getSelection().removeAllRanges()');
      await row.click({ position: { x: 5, y: 5 } });
      await page.waitForURL(new RegExp(`${path}$`));
    });
});
