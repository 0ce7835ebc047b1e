import { until } from '@holdfast/testkit/until';
import type { Page } from '@playwright/test';
import { hostile, untilText, violations } from '../pages.ts';
import { admin, post, runExecution, startReceiver } from './operator.ts';
import { expect, open, test } from './world.ts';

/** Counts what an operator does from here on: clicks, keys other than those of a paste, and forms. */
async function startCounting(page: Page): Promise<void> {
  await page.evaluate(
    `window.done = { clicks: 0, keys: 0, forms: 0 };
     addEventListener('click', ({ isTrusted }) => { done.clicks += Number(isTrusted) }, true);
     addEventListener('keydown', ({ key }) => { done.keys += Number(!['Control', 'Meta'].includes(key)) }, true);
     addEventListener('submit', () => { done.forms += 1 }, true);`,
  );
}

const counted = (page: Page) => page.evaluate<{ clicks: number; keys: number; forms: number }>('window.done');

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
  expect(await counted(page)).toEqual({ clicks: 0, keys: 1, forms: 0 });

  await open(page, '/');
  await startCounting(page);
  await page.getByRole('link', { name: 'Who spends most' }).click();
  await page.getByRole('columnheader', { name: /Spend/ }).waitFor();
  expect(await counted(page)).toEqual({ clicks: 1, keys: 0, forms: 0 });
});

test('two clicks say which endpoint fails, and what its receiver responds', async ({ ann: page, state }) => {
  const receiver = await startReceiver();
  const path = `/organizations/${state.organization_id}/webhooks/endpoints`;
  const id = await post(state, path, { url: receiver.url, events: ['execution.completed'] });
  await until('the endpoint fails', async () => {
    await runExecution(state, { model: 'sandbox-text', input: { prompt: 'x' } });
    const { data } = await admin<{ data: { id: string }[] }>(state, '/webhooks/endpoints?state=failing');
    return data.some((one) => one.id === id);
  });
  await open(page, '/');
  await startCounting(page);
  await page
    .getByRole('listitem')
    .filter({ hasText: /endpoints? (is|are) failing/ })
    .getByText('Open')
    .click();
  await page.getByRole('link', { name: receiver.url }).click();
  await untilText(page, '500');
  await page.locator('pre', { hasText: hostile }).first().waitFor();
  expect(await counted(page)).toEqual({ clicks: 2, keys: 0, forms: 0 });
  receiver.close();
});

test('two clicks refund an execution, and the journal links it', async ({ ann: page, problems, state }) => {
  const input = { prompt: 'A blurred lighthouse' };
  const id = await runExecution(state, { model: 'sandbox-image', input });
  const { refundable } = await admin<{ refundable: string }>(state, `/executions/${id}`);
  await open(page, `/executions/${id}`);
  await startCounting(page);
  await page.getByRole('button', { name: 'Refund' }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByLabel(/Amount in USD/).inputValue()).toBe(refundable);
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Refund' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByText('Refunded', { exact: true }).waitFor();
  expect(await counted(page)).toEqual({ clicks: 2, keys: 0, forms: 1 });
  expect(await page.getByRole('button', { name: 'Refund' }).count()).toBe(0);
  const { transactions } = await admin<{ transactions: object[] }>(state, `/executions/${id}`);
  expect(transactions.at(-1)).toMatchObject({ kind: 'correction', amount: refundable, execution_id: id });
  expect(problems).toEqual([]);
});

test('one form makes a customer who can run models', async ({ ann: page, state }) => {
  await open(page, '/');
  await startCounting(page);
  await page.getByRole('link', { name: 'Organizations' }).click();
  await page.getByRole('button', { name: 'Create organization' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill('A new customer');
  await form.getByLabel(/First top-up/).fill('5');
  await form.getByRole('button', { name: 'Create organization' }).click();
  const key = (await page.locator('pre', { hasText: /^sk_/ }).textContent()) ?? '';
  expect(await counted(page)).toEqual({ clicks: 3, keys: 0, forms: 1 });
  const id = await runExecution(
    { ...state, api_key: key },
    { model: 'sandbox-text', input: { prompt: 'x' } },
  );
  expect(await admin(state, `/executions/${id}`)).toMatchObject({ status: 'COMPLETED' });
});
