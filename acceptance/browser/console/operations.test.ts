import type { LocalState } from '@holdfast/local/launch/stateFile';
import { until } from '@holdfast/testkit/until';
import type { Page } from '@playwright/test';
import { hostile, owned, tooWide, untilText, violations } from '../pages.ts';
import { admin, post, runExecution, startReceiver } from './operator.ts';
import { expect, open, test } from './world.ts';

async function confirm(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name }).first().click();
  await page.locator('dialog[open] button').last().click();
}

test.describe('the overview', () => {
  test('shows the last hour, and what needs a person with the page and the runbook', async ({
    ann: page,
    problems,
    state,
  }) => {
    await untilText(page, 'Executions by the minute of their creation');
    await page.getByRole('cell', { name: 'closed' }).first().waitFor();
    await untilText(page, 'MODEL_OVERLOADED');
    await page.getByText('Show as a table').first().click();
    await page.getByRole('columnheader', { name: 'Cancelled' }).waitFor();
    await open(page, '/queues');
    await confirm(page, 'Pause');
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await open(page, '/');
    await untilText(page, 'The queue dispatch is paused');
    const paused = page.locator('li:has-text("The queue dispatch is paused")');
    expect(await paused.getByRole('link', { name: 'Runbook' }).getAttribute('href')).toBe(
      '/docs/operate/alerts/HoldfastQueueStuck',
    );
    await paused.getByRole('link', { name: 'Open', exact: true }).click();
    await confirm(page, 'Resume');
    await until(
      'no queue is paused',
      async () => (await page.getByRole('button', { name: 'Resume' }).count()) === 0,
    );
    const { data } = await admin<{ data: { actor: string; action: string; target: string }[] }>(
      state,
      '/actions?action=pause',
    );
    expect(data).toMatchObject([
      { actor: 'ann', action: 'DELETE /admin/v1/queues/{queue}/pause', target: 'dispatch' },
      { actor: 'ann', action: 'PUT /admin/v1/queues/{queue}/pause', target: 'dispatch' },
    ]);
    expect(problems).toEqual([]);
  });

  test('leads from its numbers to lists of the same rows', async ({ ann: page, state }) => {
    const minute = '2026-11-26T10:00';
    type Overview = { executions: { minutes: { failed: number }[] } };
    const rowsPerPage = 50;
    const failedIn = ({ executions: { minutes } }: Overview) =>
      minutes.reduce((sum, { failed }) => sum + failed, 0);
    // A gateway keeps what it has read for seconds.
    const overview = await until('the overview counts every failure', async () => {
      const read = await admin<Overview>(state, '/overview');
      const path = `/executions?status=FAILED,EXPIRED&limit=${rowsPerPage}`;
      const { data } = await admin<{ data: object[] }>(state, path);
      return Math.min(failedIn(read), rowsPerPage) === data.length && read;
    });
    const minutes = overview.executions.minutes.map((one) => ({ ...one, at: `${minute}:00.000Z` }));
    await page.route(/\/admin\/v1\/overview$/, (route) =>
      route.fulfill({
        status: 200,
        json: { ...overview, executions: { ...overview.executions, minutes } },
      }),
    );
    await page.reload();
    await page.getByRole('link', { name: new RegExp(`^Failed ?${failedIn(overview)}`) }).click();
    await page.waitForURL(/status=FAILED%2CEXPIRED&from=2026-11-26T10%3A00/);
    const rows = page.locator('tbody tr');
    const expected = Math.min(failedIn(overview), rowsPerPage);
    await until('the list has as many', async () => (await rows.count()) === expected);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('link', { name: /^Deliveries failed/ }).click();
    await page.waitForURL(/status=failed%2Cexpired&from=2026-11-26T10%3A00/);
  });

  test('shows longer periods with their money, whose bars and rows lead on', async ({ ann: page }) => {
    await open(page, '/');
    await page.getByLabel('Period').selectOption('Last 7 days');
    await page.waitForURL(/range=7d/);
    await page.getByRole('link', { name: /^Revenue/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.locator('figure').first().locator('svg g').last().click();
    await page.waitForURL(/executions\?from=.*&to=/);
    await page.goBack();
    await page
      .getByRole('table', { name: 'Revenue by model' })
      .getByRole('link', { name: 'sandbox-text' })
      .click();
    await page.waitForURL(/executions\?model=sandbox-text&from=/);
  });

  test('says where pending work was not counted to its end', async ({ ann: page, state }) => {
    const overview = await admin<{ backlog: { kind: string }[] }>(state, '/overview');
    const backlog = overview.backlog.map((one) => ({ ...one, count: 10_000 }));
    await page.route(/\/admin\/v1\/overview$/, (route) =>
      route.fulfill({ status: 200, json: { ...overview, backlog } }),
    );
    await page.reload();
    await untilText(page, '10,000 or more executions to be started');
    await page.getByText('10,000 or more', { exact: true }).waitFor();
  });

  test('offers a viewer no change', async ({ val: page }) => {
    await open(page, '/queues');
    const pause = page.getByRole('button', { name: 'Pause' }).first();
    await pause.waitFor();
    expect(await pause.isDisabled()).toBe(true);
    await open(page, '/audit');
    const run = page.getByRole('button', { name: 'Run now' });
    await run.waitFor();
    expect(await run.isDisabled()).toBe(true);
  });
});

test.describe('all executions of the filters', () => {
  test('are counted, then run again or cancelled, with the progress', async ({
    ann: page,
    problems,
    state,
  }) => {
    const metadata = { campaign: 'bulk' };
    const failing = { model: 'sandbox-text', input: { prompt: 'x', fail: 'GENERATION_FAILED' }, metadata };
    for (let count = 0; count < 2; count += 1) await runExecution(state, failing);
    // Rich can pay for another run, and Poor cannot.
    for (const name of ['Rich', 'Poor']) {
      const other = `/organizations/${await post(state, '/organizations', { name })}`;
      await post(state, `${other}/top-ups`, { amount: '1' });
      const id = await post(state, `${other}/executions`, failing);
      await until(`the execution of ${name} has failed`, async () => {
        const { status } = await admin<{ status: string }>(state, `/executions/${id}`);
        return status === 'FAILED';
      });
      if (name === 'Poor') await post(state, `${other}/corrections`, { amount: '-1', reason: 'Gone' });
    }
    const rerun = page.getByRole('button', { name: 'Run all again …' });
    await open(page, '/executions');
    await rerun.waitFor();
    expect(await rerun.isDisabled()).toBe(true);
    await open(page, '/executions?q=campaign%3Dbulk&provider=sandbox');
    await rerun.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('4 executions of 3 organizations match.').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Run executions again' }).click();
    await dialog.getByText('Done: 3 executions created.').waitFor();
    await dialog.getByText(/^1 execution cannot run again/).waitFor();
    await open(page, `/executions?q=campaign%3Dbulk&organization=${state.organization_id}`);
    const slow = { model: 'sandbox-text', input: { prompt: 'x', delay_ms: 300_000 }, metadata };
    const path = `/organizations/${state.organization_id}/executions`;
    const ids = [await post(state, path, slow), await post(state, path, slow)];
    await page.getByRole('button', { name: 'Cancel all …' }).click();
    await dialog.getByText('2 executions match.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel executions' }).click();
    await dialog.getByText('Done: 2 executions cancelled.').waitFor();
    for (const id of ids)
      expect(await admin<object>(state, `/executions/${id}`)).toMatchObject({ status: 'CANCELLED' });
    expect(problems).toEqual([]);
  });
});

test.describe('costs in review', () => {
  const reviewed = (state: LocalState, cost: string) =>
    runExecution(state, { model: 'sandbox-text', input: { prompt: 'x', cost } });

  test('lead from the overview to a decision on each', async ({ ann: page, problems, state }) => {
    const [written, accepted] = [await reviewed(state, '5'), await reviewed(state, '1000')];
    await untilText(page, '2 costs wait for your decision');
    const attention = page.locator('li:has-text("2 costs wait for your decision")');
    await attention.getByRole('link', { name: 'Open', exact: true }).click();
    await page.locator(`li:has-text("${written}")`).getByRole('button', { name: 'Write off' }).click();
    const dialog = page.locator('dialog[open]');
    await page.getByLabel('Reason').fill(hostile);
    await dialog.getByRole('button', { name: 'Write off' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.locator(`li:has-text("${written}")`).waitFor({ state: 'hidden' });
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      expect([width, await tooWide(page), await violations(page)]).toEqual([width, [], []]);
    }
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByLabel('Amount to charge (USD), at most 999.988').fill('0.5');
    await page.getByLabel('Reason').fill('as agreed');
    await dialog.getByRole('button', { name: 'Accept' }).click();
    await untilText(page, 'No review is in this state');
    await page.getByLabel('State').selectOption('');
    await untilText(page, /^written off by ann/);
    await untilText(page, hostile);
    expect(await owned(page)).toBeUndefined();
    await open(page, `/executions/${accepted}`);
    await untilText(page, /^accepted: 0\.50 by ann/);
    const { data } = await admin<{ data: object[] }>(state, '/reviews');
    expect(data).toMatchObject([
      { execution_id: accepted, state: 'accepted', charged: '0.50' },
      { execution_id: written, state: 'written_off', charged: null },
    ]);
    expect(problems).toEqual([]);
  });

  test('are shown to a viewer, who cannot decide', async ({ val: page, state }) => {
    const id = await reviewed(state, '7');
    await open(page, `/executions/${id}`);
    await untilText(page, /^It reported a cost of 7\.00 USD/);
    for (const name of ['Accept', 'Write off'])
      expect(await page.getByRole('button', { name }).isDisabled()).toBe(true);
    await post(state, `/reviews/${id}/write-off`, { reason: 'the test has ended' });
  });
});

test.describe('the audit', () => {
  test('runs when an operator asks for it, and its result appears', async ({ ann: page, state }) => {
    const last = () =>
      admin<{ finished_at: string | null; requested_at: string | null }>(state, '/ledger/audit');
    const before = await last();
    const seen = Promise.withResolvers<void>();
    let isRead = false;
    await page.route(/\/ledger\/audit$/, async (route) => {
      // Read again, the audit may have run.
      if (isRead && route.request().method() === 'GET') await seen.promise;
      isRead = true;
      await route.continue();
    });
    await open(page, '/audit');
    await confirm(page, 'Run now');
    await untilText(page, 'An audit is requested');
    seen.resolve();
    await until('the audit has run', async () => {
      const { finished_at: at, requested_at: requested } = await last();
      return at !== before.finished_at && requested === null;
    });
    await untilText(page, 'The ledger is consistent');
    await until(
      'the page no longer waits',
      async () => (await page.getByText('An audit is requested').count()) === 0,
    );
  });
});

test.describe('webhooks', () => {
  test('that failed are found, read, and sent again: one endpoint turned on, the others recovered by filter', async ({
    ann: page,
    problems,
    state,
  }) => {
    const receiver = await startReceiver(410);
    const { base_url: baseUrl, api_key: key } = state;
    const created = await fetch(`${baseUrl}/v1/webhooks/endpoints`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: `${receiver.origin}/endpoint`, events: [], description: hostile }),
    });
    const { id } = (await created.json()) as { id: string };
    const request = {
      model: 'sandbox-text',
      input: { prompt: 'x' },
      webhook_url: `${receiver.origin}/once`,
    };
    const executionId = await runExecution(state, request);
    // Other tests may have let an endpoint fail for as long.
    const deactivated = page.locator('li', {
      hasText: /\d+ webhook endpoints? (was|were) deactivated after/,
    });
    await deactivated.getByRole('link', { name: 'Open', exact: true }).click();
    await page.getByRole('link', { name: `${receiver.origin}/endpoint` }).click();
    await untilText(page, 'deactivated');
    await untilText(page, 'Off since');
    await page.getByRole('heading', { name: 'Last responses' }).waitFor();
    await page.locator('section li:has-text("410")').getByText(hostile).first().waitFor();
    receiver.accept();
    await confirm(page, 'Turn on');
    await page.getByRole('button', { name: 'Turn off' }).waitFor();
    await confirm(page, 'Send test event');
    await untilText(page, /The endpoint returned 200/);
    await confirm(page, 'Rotate secret');
    await untilText(page, /whsec_/);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('button', { name: 'Edit endpoint' }).click();
    await page.getByLabel('execution.completed').check();
    await page.getByLabel('Requests per second (optional)').fill('7');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.locator('dd:text-is("execution.completed")').waitFor();
    await page.locator('dd:text-is("7")').waitFor();
    const path = `/webhooks/endpoints/${id}`;
    expect(await admin<object>(state, path)).toMatchObject({
      events: ['execution.completed'],
      max_per_second: 7,
      description: hostile,
    });

    await open(page, '/webhooks/deliveries?status=failed');
    await page.getByText(`${receiver.origin}/once`).first().click();
    await untilText(page, hostile);
    await untilText(page, executionId);
    expect(await owned(page)).toBeUndefined();
    const organization = state.organization_id;
    await open(page, `/webhooks/deliveries?organization=${organization}&status=failed`);
    await page.getByRole('button', { name: 'Recover deliveries' }).click();
    await page.getByRole('button', { name: 'Count them' }).click();
    await untilText(page, /deliveries match/);
    await page.getByRole('button', { name: 'Send them again' }).click();
    await untilText(page, /^Done: [1-9]/);
    await until('what failed is delivered', async () => {
      const { data } = await admin<{ data: { url: string; status: string }[] }>(
        state,
        '/webhooks/deliveries',
      );
      return data
        .filter(({ url }) => url.startsWith(receiver.origin))
        .every(({ status }) => status === 'delivered');
    });
    const { data: actions } = await admin<{ data: { action: string; target: string | null }[] }>(
      state,
      '/actions?action=webhooks&limit=10',
    );
    expect(actions.map(({ action }) => action)).toEqual(
      expect.arrayContaining([
        'POST /admin/v1/webhooks/deliveries/recover',
        'PATCH /admin/v1/organizations/{organization_id}/webhooks/endpoints/{id}',
        'POST /admin/v1/organizations/{organization_id}/webhooks/endpoints/{id}/rotate-secret',
      ]),
    );
    expect(actions.map(({ target }) => target)).toContain(id);
    expect(problems).toEqual([]);
    receiver.close();
  });

  test('are found by keyboard, and cannot be changed by a viewer', async ({ val: page }) => {
    await open(page, '/webhooks');
    await page.getByRole('columnheader', { name: 'Endpoint' }).waitFor();
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
    await page.getByRole('heading', { name: 'Webhooks' }).click();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    for (const name of [
      'Recover deliveries',
      'Edit endpoint',
      'Rotate secret',
      'Send test event',
      'Turn off',
    ]) {
      const button = page.getByRole('button', { name });
      await button.waitFor();
      expect([name, await button.isDisabled()]).toEqual([name, true]);
    }
  });
});

test.describe('actions', () => {
  test('are told in words with who, what and how much, and filtered', async ({
    ann: page,
    problems,
    state,
  }) => {
    const id = await post(state, '/organizations', { name: 'Words & Sons' });
    await post(state, `/organizations/${id}/top-ups`, { amount: '25.00', reason: 'invoice 7' });
    await open(page, `/actions?organization=${id}`);
    await untilText(page, 'ann topped up Words & Sons with 25.00 USD: invoice 7');
    await untilText(page, 'ann created the organization Words & Sons');
    await page.getByLabel('What').selectOption('Corrections');
    await page.waitForURL(/what=corrections/);
    await untilText(page, 'No action matches');
    await page.getByLabel('What').selectOption('Top-ups');
    await page.getByRole('link', { name: 'Words & Sons' }).first().click();
    await page.waitForURL(new RegExp(`organizations/${id}`));
    expect(problems).toEqual([]);
  });
});

test('the models show their price, what ran of them, what failed, and why one is not offered', async ({
  ann: page,
  problems,
}) => {
  await open(page, '/models');
  const row = page.locator('li', { hasText: 'Sandbox text' });
  await row.getByText(/Price in USD.*per/).waitFor();
  expect(await row.getByText(/Completed, 24 h/).textContent()).not.toContain('–');
  await page
    .getByText(/No provider is configured: set REPLICATE_API_TOKEN/)
    .first()
    .waitFor();
  expect(await violations(page)).toEqual([]);
  await row.getByRole('link', { name: /%/ }).click();
  await page.waitForURL(/model=sandbox-text&status=FAILED%2CEXPIRED/);
  expect(problems).toEqual([]);
});
