import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@holdfast/testkit/until';
import { hostile, owned, tooWide, untilText, violations } from '../pages.ts';
import { admin, newBatch, runExecution, screenshots } from './operator.ts';
import { expect, open, test } from './world.ts';

/** The pages of docs/console.md with an image. */
const shown = ['overview', 'playground', 'executions', 'execution', 'organization', 'money', 'webhooks'];

test.describe('the pages', () => {
  test('find an execution by keyboard, filter and metadata', async ({ ann: page, state, world }) => {
    const imageId = await runExecution(state, { model: 'sandbox-image', input: { prompt: 'A pier' } });
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
    const image = rows.filter({ has: page.locator(`[title="${imageId}"]`) });
    await image.waitFor();
    await page.getByLabel('Status').selectOption('FAILED');
    await image.waitFor({ state: 'hidden' });
    await rows.filter({ hasText: 'MODEL_OVERLOADED' }).first().waitFor();
    const cut =
      '[...document.querySelectorAll("td *")].filter((one) => one.scrollWidth > one.clientWidth + 1)';
    expect(await page.evaluate(`${cut}.map(({ textContent }) => textContent)`)).toEqual([]);
    await page.getByText('Organization, Error code').click();
    await page.locator('input[placeholder="Name or id"]').fill('demo');
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`organization=${state.organization_id}`));
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await image.waitFor();
    await page.getByRole('heading', { name: 'Executions' }).click();
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
    await page.locator('input[type=search]').fill('order=A-17');
    await page.keyboard.press('Enter');
    await until('one execution has this metadata', async () => (await rows.count()) === 1);
    const inBase64 = 'q83vEjRWeJCrze8SNFZ4kA==';
    const asked = new Set<string | null>();
    page.on('request', (request) => {
      asked.add(new URL(request.url()).searchParams.get('idempotency_key'));
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
    await page.waitForURL(new RegExp(world.executionId));
  });

  test('keep the focus, or give it to the heading, where its element goes away', async ({ ann: page }) => {
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
    await page.locator('tbody tr').nth(1).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/exec_/);
    await until('its heading has it', async () => (await focused()).startsWith('sandbox-'));
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await until('the button has it again', async () => (await focused()) === 'button');
  });

  test('of lists sort, hide columns for good, copy whole ids, and download what the filters match', async ({
    ann: page,
    world,
  }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(page, '/executions?model=sandbox-image');
    const row = page.locator('tbody tr').filter({ has: page.locator(`[title="${world.imageId}"]`) });
    await row.getByRole('button', { name: `Copy ${world.imageId}` }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(world.imageId);
    await page.getByRole('button', { name: 'Cost' }).click();
    await page
      .getByRole('columnheader', { name: 'Cost' })
      .and(page.locator('[aria-sort=descending]'))
      .waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Organization' }).uncheck();
    await page.getByRole('columnheader', { name: 'Organization' }).waitFor({ state: 'hidden' });
    await page.reload();
    await row.waitFor();
    expect(await page.getByRole('columnheader', { name: 'Organization' }).count()).toBe(0);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    const [head, ...lines] = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\r\n');
    expect(head).toBe('Model,Id,Status,Error code,Organization,Duration,Cost,Created');
    expect(lines.find((line) => line.includes(world.imageId))).toMatch(/^sandbox-image,.*,COMPLETED,,org_/);
    expect(new Set(lines.map((line) => line.split(',')[0]))).toEqual(new Set(['sandbox-image']));
  });

  test('are found by ⌘K, with organizations and executions, and ? names the keys', async ({
    ann: page,
    world,
  }) => {
    await open(page, '/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Find' });
    await field.fill('que');
    await page.keyboard.press('Enter');
    await page.waitForURL(/queues$/);
    await page.keyboard.press('Control+k');
    await field.fill('order=A-17');
    await page.getByRole('option', { name: world.executionId }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`${world.executionId}$`));
    await page.getByRole('button', { name: /^Find/ }).click();
    await field.fill('Demo');
    await page.getByRole('option', { name: 'Demo' }).first().click();
    await page.waitForURL(/organizations\/org_/);
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Search the list').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('lead back to a list with its filters', async ({ ann: page }) => {
    await open(page, '/executions?status=FAILED');
    await page.locator('tbody a').first().click();
    await page.getByRole('link', { name: '← Executions' }).click();
    await page.waitForURL(/executions\?status=FAILED/);
  });

  test('say that a list is not live while older rows are shown, and make it live again', async ({
    ann: page,
    state,
    world,
  }) => {
    await page.route(/\/admin\/v1\/executions\?/, async (route) => {
      const isNext = route.request().url().includes('cursor=');
      const id = isNext ? world.imageId : world.executionId;
      const { data } = await admin<{ data: object[] }>(state, `/executions?id_prefix=${id}`);
      await route.fulfill({ status: 200, json: { data, next_cursor: isNext ? null : world.executionId } });
    });
    await open(page, '/executions');
    await page.getByRole('checkbox', { name: 'Live', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByTitle(world.imageId).waitFor();
    await page.getByRole('checkbox', { name: /^Live \(paused/ }).check();
    await page.getByTitle(world.imageId).waitFor({ state: 'hidden' });
    await page.getByRole('checkbox', { name: 'Live', exact: true }).waitFor();
  });

  test('show a duration of almost two minutes as two', async ({ ann: page, state, world }) => {
    const { data } = await admin<{ data: object[] }>(state, `/executions?id_prefix=${world.executionId}`);
    const times = { created_at: '2026-11-26T10:00:00.000Z', completed_at: '2026-11-26T10:01:59.700Z' };
    await page.route(/\/admin\/v1\/executions\?/, (route) =>
      route.fulfill({ status: 200, json: { data: [{ ...data[0], ...times }], next_cursor: null } }),
    );
    await open(page, '/executions');
    await untilText(page, '2 min 0 s');
  });

  test('ask for no more of a search once a page of it was refused', async ({ ann: page }) => {
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
  });

  test('show an execution whole, run nothing of what clients and receivers wrote, and redeliver', async ({
    ann: page,
    problems,
    world,
  }) => {
    test.setTimeout(180_000);
    await open(page, `/executions/${world.executionId}`);
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
    world.receiver.accept();
    await page.getByRole('button', { name: 'Redeliver' }).first().click();
    await page.locator('dialog[open] button').last().click();
    // A failing endpoint is probed first, by another delivery of its own.
    const delivered = page.getByText('delivered', { exact: true });
    await until('the delivery has succeeded', async () => (await delivered.count()) > 0, 120_000);
    expect(problems).toEqual([]);
  });

  test('cancel a running execution after a question, and erase it', async ({ ann: page, state, world }) => {
    const { base_url: baseUrl, api_key: key } = state;
    const created = await fetch(`${baseUrl}/v1/executions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        model: 'sandbox-text',
        input: { prompt: 'slow', delay_ms: 500_000 },
        webhook_url: world.receiver.url,
      }),
    });
    const { id } = (await created.json()) as { id: string };
    await open(page, `/executions/${id}`);
    await page.getByRole('button', { name: 'Cancel execution' }).click();
    await page.locator('dialog[open] button').last().click();
    await page.getByRole('rowheader', { name: 'release' }).waitFor();
    await page.getByRole('button', { name: 'Erase' }).click();
    await page.locator('dialog[open] button').last().click();
    await untilText(page, 'Input, output and files were erased.');
    const redeliver = page.getByRole('button', { name: 'Redeliver' });
    await redeliver.first().waitFor();
    expect(await redeliver.first().isDisabled()).toBe(true);
    const { data } = await admin<{ data: { actor: string; action: string }[] }>(state, '/actions?limit=2');
    expect(data).toMatchObject([
      { actor: 'ann', action: 'DELETE /admin/v1/organizations/{organization_id}/executions/{id}' },
      { actor: 'ann', action: 'POST /admin/v1/executions/{id}/cancel' },
    ]);
  });

  test('top up once, however often the button is pressed', async ({ ann: page, state }) => {
    const { organization_id: id } = state;
    const { name } = await admin<{ name: string }>(state, `/organizations/${id}`);
    await open(page, `/organizations/${id}`);
    // As on plain http in a private network.
    await page.evaluate('delete Crypto.prototype.randomUUID');
    await page.getByRole('button', { name: 'Top up' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('staging').waitFor();
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
      state,
      `/organizations/${id}/balance/transactions?kind=top_up`,
    );
    expect(data.filter(({ amount }) => amount === '12.34567891')).toHaveLength(1);
  });

  test('narrow what was earned down from a model to its organizations, as CSV too', async ({ ann: page }) => {
    await open(page, '/money');
    await page.getByRole('row', { name: /sandbox-image/ }).waitFor();
    await page.getByRole('button', { name: 'sandbox-image' }).click();
    await page.waitForURL(/by=organization&model=sandbox-image|model=sandbox-image&by=organization/);
    await page.getByRole('button', { name: 'Demo' }).waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(/^money_by_organization_.*\.csv$/);
    const [head, row] = readFileSync(await download.path(), 'utf8').split('\r\n');
    expect(head).toMatch(/^group,name,executions,revenue/);
    expect(row).toMatch(/^org_/);
  });

  test('let a viewer look and do nothing else', async ({ val: page, world }) => {
    await open(page, `/executions/${world.executionId}`);
    const erase = page.getByRole('button', { name: 'Erase' });
    await erase.waitFor();
    expect(await erase.isDisabled()).toBe(true);
    const status = await page.evaluate(
      `fetch('/admin/v1/executions/${world.executionId}/cancel', { method: 'POST', headers: { 'X-Holdfast-Console': '1' } })
         .then(({ status }) => status)`,
    );
    expect(status).toBe(403);
  });

  test('lead from an organization to its batches, which an operator cancels', async ({
    ann: page,
    state,
  }) => {
    const id = await newBatch(state, { max_cost: '0' });
    await open(page, `/organizations/${state.organization_id}`);
    await page.getByRole('main').getByRole('link', { name: 'Batches' }).click();
    await page.locator(`a[href$="${id}"]`).click();
    await untilText(page, 'Paused: its next item would exceed the most that it may cost.');
    await page.getByRole('button', { name: 'Cancel batch' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel batch' }).click();
    await untilText(page, '2 of 2 items have ended');
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Other items (2)' }).click();
    expect((await downloading).suggestedFilename()).toBe(`${id}_errors.jsonl`);
  });

  test('are accessible and fit, in both schemes and on a phone', async ({
    ann: page,
    problems,
    state,
    world,
  }) => {
    test.setTimeout(280_000);
    const batchId = await newBatch(state, { max_cost: '0' });
    const pages = {
      overview: ['/', 'Overview'],
      webhooks: ['/webhooks', 'Webhooks'],
      deliveries: ['/webhooks/deliveries', 'Webhooks'],
      queues: ['/queues', 'Queues'],
      audit: ['/audit', 'Audit'],
      reviews: ['/reviews', 'Costs in review'],
      executions: ['/executions', 'Executions'],
      execution: [`/executions/${world.imageId}`, 'sandbox-image'],
      organizations: ['/organizations', 'Organizations'],
      organization: [`/organizations/${state.organization_id}`, /./],
      batches: ['/batches', 'Batches'],
      batch: [`/batches/${state.organization_id}/${batchId}`, 'sandbox-text'],
      models: ['/models', 'Models'],
      model: ['/models/sandbox-image', 'Sandbox image'],
      'model-editor': ['/models/-/edit?model=sandbox-image', 'Edit sandbox-image'],
      playground: ['/playground', 'Playground'],
      actions: ['/actions', 'Actions'],
      sessions: ['/sessions', 'Sessions'],
      money: ['/money', 'Money'],
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
  });

  test('have titles and headings of their own, also where there is nothing', async ({
    ann: page,
    state,
    world,
  }) => {
    const { organization_id: organization } = state;
    const { name } = await admin<{ name: string }>(state, `/organizations/${organization}`);
    const titles = {
      '/executions': 'Executions',
      '/webhooks/deliveries': 'Deliveries',
      [`/organizations/${organization}`]: name,
      [`/executions/${world.imageId}`]: `sandbox-image ${world.imageId}`,
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
  });
});
