import type { Page } from '@playwright/test';
import { runExecution } from './operator.ts';
import { expect, open, test } from './world.ts';

/** Counts what an operator does from here on: clicks, and keys other than those of a paste. */
async function startCounting(page: Page): Promise<void> {
  await page.evaluate(
    `window.done = { clicks: 0, keys: 0 };
     addEventListener('click', ({ isTrusted }) => { done.clicks += Number(isTrusted) }, true);
     addEventListener('keydown', ({ key }) => { done.keys += Number(!['Control', 'Meta'].includes(key)) }, true);`,
  );
}

const counted = (page: Page) => page.evaluate<{ clicks: number; keys: number }>('window.done');

test('one key and a paste say why an execution failed, and a click who spends most', async ({
  ann: page,
  state,
}) => {
  const input = { prompt: 'x', fail: 'GENERATION_FAILED' };
  const id = await runExecution(state, { model: 'sandbox-text', input });
  await open(page, '/');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await startCounting(page);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find' }).waitFor();
  await page.keyboard.insertText(id);
  await page.waitForURL(new RegExp(`executions/${id}$`));
  await page.locator('main').getByText('GENERATION_FAILED').first().waitFor();
  expect(await counted(page)).toEqual({ clicks: 0, keys: 1 });

  await open(page, '/');
  await startCounting(page);
  await page.getByRole('link', { name: 'Who spends most' }).click();
  await page.getByRole('columnheader', { name: /Spend/ }).waitFor();
  expect(await counted(page)).toEqual({ clicks: 1, keys: 0 });
});
