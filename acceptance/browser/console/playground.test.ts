import type { LocalState } from '@holdfast/local/launch/stateFile';
import { until } from '@holdfast/testkit/until';
import type { Page } from '@playwright/test';
import { hostile, owned, untilText } from '../pages.ts';
import { admin, post, runExecution, val } from './operator.ts';
import { expect, open, test } from './world.ts';

type Whole = {
  hold_amount: string;
  input: object;
  organization_id: string;
  rerun_of: string;
  reruns: object[];
};

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A run takes seconds, and more on a busy machine. */
const patienceMs = 45_000;

const isImageShown = (page: Page, part: string) =>
  page.evaluate<boolean>(
    `[...document.querySelectorAll('${part} img')].some(({ naturalWidth }) => naturalWidth > 0)`,
  );

/** A failure says what the page shows instead. */
async function untilImage(page: Page): Promise<void> {
  try {
    await until('the image is shown', async () => await isImageShown(page, 'figure'), patienceMs);
  } catch (error) {
    const images = `[...document.images].map(({ src, complete }) => src + (complete ? ' is broken' : ' is loading'))`;
    const shown = await page.evaluate<string>(`[document.body.innerText, ...${images}].join('\\n')`);
    throw new Error(`${page.url()} shows no image, but: ${shown}`, { cause: error });
  }
}

const drafts = (page: Page) =>
  page.evaluate<number>('Object.keys(sessionStorage).filter((key) => key.includes("draft")).length');

/** The id of the organization for which the page has estimated the cost last. */
const payerOf = (page: Page) =>
  page.evaluate<string>(
    `performance.getEntriesByType('resource')
       .filter(({ name }) => name.endsWith('/executions/estimate')).at(-1)?.name.split('/').at(-3)`,
  );

async function choosePayer(page: Page, typed: string): Promise<void> {
  const field = page.getByLabel('Organization that pays');
  // The name takes the place of the id when it is read, perhaps between the selection of the text and its replacement.
  await expect(field).not.toHaveValue(/^org_/);
  await field.fill(typed);
  await page.keyboard.press('Enter');
}

async function countExecutions(state: LocalState): Promise<number> {
  let count = 0;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `/executions?limit=100${cursor && `&cursor=${cursor}`}`;
    const page: { data: unknown[]; next_cursor: string | null } = await admin(state, path);
    count += page.data.length;
    cursor = page.next_cursor;
  }
  return count;
}

test.describe('the playground', () => {
  test('holds what it estimated, runs once however often it is submitted, and shows the image', async ({
    ann: page,
    problems,
    state,
  }) => {
    await open(page, '/models/sandbox-image');
    await page.getByRole('link', { name: 'Run in the playground' }).click();
    await choosePayer(page, state.organization_id);
    await page.getByLabel(/^prompt/).fill(`A harbour ${hostile}`);
    const fields = 'document.querySelectorAll("main form label span.font-mono")';
    expect(await page.evaluate(`[...${fields}].slice(0, 5).map(({ textContent }) => textContent)`)).toEqual([
      'prompt',
      'count',
      'width',
      'height',
      'format',
    ]);
    await page.getByLabel(/^count/).fill('2');
    await untilText(page, '2 image × 0.04 = 0.08');
    const before = await countExecutions(state);
    const run = page.getByRole('button', { name: 'Run', exact: true });
    await until('it can be run', async () => !(await run.isDisabled()));
    await page.evaluate('for (let i = 0; i < 3; i++) document.querySelector("main form").requestSubmit()');
    await untilImage(page);
    const id = new URL(page.url()).searchParams.get('run') ?? '';
    const whole = await admin<Whole>(state, `/executions/${id}`);
    expect(whole).toMatchObject({ hold_amount: '0.096', organization_id: state.organization_id });
    expect(whole.input).toMatchObject({ prompt: `A harbour ${hostile}`, count: 2 });
    expect(await countExecutions(state)).toBe(before + 1);
    expect(await owned(page)).toBeUndefined();
    expect(problems).toEqual([]);
  });

  test('runs for the organization that ran something last, and leads to the top-up of one without balance', async ({
    ann: page,
    state,
  }) => {
    await runExecution(state, { model: 'sandbox-text', input: { prompt: 'the last one' } });
    await open(page, '/playground');
    await untilText(page, 'until the run ends');
    await untilText(page, /of the balance of Demo/);
    expect(await payerOf(page)).toBe(state.organization_id);
    const id = await post(state, '/organizations', { name: 'Poor' });
    await open(page, `/playground?organization=${id}`);
    await page.getByRole('link', { name: 'Top up Poor' }).click();
    await page.waitForURL(new RegExp(`/organizations/${id}`));
  });

  test('runs no other model in place of one that is not offered', async ({ ann: page, state }) => {
    const { data: models } = await admin<{ data: { slug: string; is_active: boolean }[] }>(state, '/models');
    const slug = models.find(({ is_active: isActive }) => !isActive)?.slug ?? '';
    await open(page, `/models/${slug}`);
    await page.getByText('not offered', { exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'Run in the playground' }).count()).toBe(0);
    await open(page, `/playground?model=${slug}`);
    await untilText(page, `The model ${slug} is not offered.`);
    expect(await page.getByRole('button', { name: 'Run', exact: true }).count()).toBe(0);
    await page.getByLabel('Model to run').selectOption('sandbox-text');
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
  });

  test('keeps the input and the organization that pays, whoever runs something meanwhile', async ({
    ann: page,
    state,
  }) => {
    await runExecution(state, { model: 'sandbox-text', input: { prompt: 'the last one' } });
    const other = await post(state, '/organizations', { name: 'Rich' });
    await post(state, `/organizations/${other}/top-ups`, { amount: '1.00' });
    await open(page, '/playground?model=sandbox-text');
    await page.getByLabel(/^prompt/).fill('typed for minutes');
    const openedAt = Date.now();
    const request = { model: 'sandbox-text', input: { prompt: 'meanwhile' } };
    await post(state, `/organizations/${other}/executions`, request, { 'Idempotency-Key': 'meanwhile' });
    await until('what the page has read is old', () => Promise.resolve(Date.now() - openedAt > 1500));
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    // A page that reads it again would have done so by then.
    for (let n = 0; n < 20; n++) await page.evaluate(`fetch('/admin/v1/session').then(() => null)`);
    const prompt = 'document.querySelector("main form textarea").value';
    await untilText(page, /of the balance of Demo/);
    expect(await payerOf(page)).toBe(state.organization_id);
    expect(await page.evaluate(prompt)).toBe('typed for minutes');
    await choosePayer(page, other);
    await untilText(page, /of the balance of Rich/);
    expect(await page.evaluate(prompt)).toBe('typed for minutes');
  });

  test('keeps what is typed for each model until it is sent', async ({ ann: page, state }) => {
    const prompt = page.getByLabel(/^prompt/);
    const typed = () => page.evaluate<string>('document.querySelector("main form textarea").value');
    const path = `/playground?model=sandbox-text&organization=${state.organization_id}`;
    await open(page, path);
    await prompt.fill('typed for minutes');
    await page.reload();
    await prompt.waitFor();
    expect(await typed()).toBe('typed for minutes');
    await page.getByLabel('Model to run').selectOption('sandbox-image');
    await page.getByLabel(/^count/).waitFor();
    await page.getByLabel('Model to run').selectOption('sandbox-text');
    await page.getByLabel(/^count/).waitFor({ state: 'hidden' });
    expect(await typed()).toBe('typed for minutes');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('link', { name: 'Open execution' }).waitFor();
    expect(await drafts(page)).toBe(0);
  });

  test('forgets what is typed when the session ends, in every tab', async ({ ann: page, context, state }) => {
    const path = `/playground?model=sandbox-text&organization=${state.organization_id}`;
    const other = await context.newPage();
    for (const tab of [page, other]) {
      await open(tab, path);
      await tab.getByLabel(/^prompt/).fill('typed by ann');
      expect(await drafts(tab)).toBe(1);
    }
    // As when it expires: the tab learns of it from its next read.
    await page.evaluate(
      `fetch('/admin/v1/session', { method: 'DELETE', headers: { 'X-Holdfast-Console': '1' } })`,
    );
    await page.evaluate(`document.querySelector('nav a[href$="/organizations"]')?.click()`);
    await page.getByLabel('Admin token').fill(val);
    expect(await drafts(page)).toBe(0);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await open(other, path);
    await other.getByLabel(/^prompt/).waitFor();
    const typed = await other.evaluate('document.querySelector("main form textarea").value');
    expect(typed).not.toBe('typed by ann');
    expect(await drafts(other)).toBe(0);
  });

  test('finds the organization that pays by part of its name, and runs nothing until one is chosen', async ({
    ann: page,
    state,
  }) => {
    const far = await post(state, '/organizations', { name: 'Far & Away' });
    await Promise.all(['A', 'B'].map((name) => post(state, '/organizations', { name: `Twin ${name}` })));
    await open(page, `/playground?model=sandbox-text&organization=${state.organization_id}`);
    await untilText(page, /of the balance of Demo/);
    const before = await countExecutions(state);
    await choosePayer(page, 'twin');
    await untilText(page, 'Several match “twin”. Choose one:');
    const submit = () => page.evaluate('document.querySelector("main form").requestSubmit()');
    await submit();
    await choosePayer(page, '');
    await page.getByText('Several match').waitFor({ state: 'hidden' });
    const payer = 'document.querySelector("main form input[list]").value';
    expect(await page.evaluate(payer)).toBe('Demo');
    await choosePayer(page, '& aw');
    await page.waitForURL(new RegExp(far));
    await until('the field shows its name', async () => (await page.evaluate(payer)) === 'Far & Away');
    await page.getByRole('link', { name: 'Top up Far & Away' }).waitFor();
    expect(await countExecutions(state)).toBe(before);
    await open(page, `/playground?organization=${far.slice(0, -4)}0000`);
    await untilText(page, 'There is no organization');
    await choosePayer(page, 'Far & Away');
    await page.getByRole('link', { name: 'Top up Far & Away' }).waitFor();
  });

  test('runs nothing while the JSON of the input is incomplete', async ({ ann: page, state }) => {
    await open(page, `/playground?model=sandbox-text&organization=${state.organization_id}`);
    await page.getByLabel('As JSON').check();
    const json = page.locator('main form textarea');
    const submit = () => page.evaluate('document.querySelector("main form").requestSubmit()');
    await json.fill('{"prompt": "of JSON",}');
    await untilText(page, 'This is not JSON yet.');
    const before = await countExecutions(state);
    await submit();
    await json.fill('{"prompt": "of JSON"}');
    await submit();
    await until(
      'it runs',
      async () => (await page.getByRole('link', { name: 'Open execution' }).count()) === 1,
      patienceMs,
    );
    expect(await countExecutions(state)).toBe(before + 1);
  });

  test('uploads a file, runs with it, and the execution previews it', async ({
    ann: page,
    problems,
    state,
  }) => {
    await open(page, `/playground?model=image-transform&organization=${state.organization_id}`);
    await untilText(page, 'Fill in the required fields');
    const file = { name: `${hostile}.png`, mimeType: 'image/png', buffer: png };
    await page.locator('input[type=file]').setInputFiles(file);
    await until('the file is previewed', async () => await isImageShown(page, 'form'));
    await page.getByText(/^file_[0-9a-f-]{36}$/).waitFor();
    await page.getByText('Estimate', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const whole = page.getByRole('link', { name: 'Open execution' });
    await until('it runs', async () => (await whole.count()) === 1, patienceMs);
    await whole.click();
    await until(
      'input and output are previewed',
      async () => (await page.locator('figure img').count()) === 2,
    );
    await untilImage(page);
    expect(await owned(page)).toBeUndefined();
    expect(problems).toEqual([]);
  });

  test('keeps what is typed during an upload, and leaves out a file of the organization before', async ({
    ann: page,
    state,
  }) => {
    const uploads = /\/files\?filename=/;
    const held: (() => void)[] = [];
    await page.route(uploads, async (route) => {
      await new Promise<void>((resolve) => void held.push(resolve));
      await route.continue();
    });
    const choose = async () => {
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: png });
      await until('it is uploaded', () => held.length > 0);
    };
    const responses = () =>
      page.evaluate<number>(
        `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/files?filename=')).length`,
      );
    const typed = () =>
      page.evaluate<string[]>(`[...document.querySelectorAll('main form input')].map(({ value }) => value)`);
    await open(page, `/playground?model=image-transform&organization=${state.organization_id}`);
    await choose();
    await page.getByLabel(/^width/).fill('31');
    held.pop()?.();
    await page.getByText(/^file_[0-9a-f-]{36}$/).waitFor();
    expect(await typed()).toContain('31');

    await page.getByRole('button', { name: 'Remove' }).click();
    await choose();
    const other = await post(state, '/organizations', { name: 'Payer of no file' });
    await choosePayer(page, other);
    await page.waitForURL(new RegExp(other));
    held.pop()?.();
    await until('both are uploaded', async () => (await responses()) === 2);
    await untilText(page, 'Fill in the required fields');
    expect(await typed()).toContain('31');
    expect(await page.getByText(/^file_[0-9a-f-]{36}$/).count()).toBe(0);
  });

  test('shows problems beside their fields, and lets a viewer estimate but not run', async ({
    val: page,
    state,
  }) => {
    await open(page, '/playground?model=sandbox-image');
    await page.getByLabel(/^width/).fill('7');
    await untilText(page, 'input.width must be at least 16.');
    await page.getByLabel(/^width/).fill('64');
    await untilText(page, '1 image × 0.04 = 0.04');
    const run = page.getByRole('button', { name: 'Run', exact: true });
    expect(await run.isDisabled()).toBe(true);
    const before = await countExecutions(state);
    await page.evaluate('document.querySelector("main form").requestSubmit()');
    await untilText(page, 'This needs the role `admin`; you have `viewer`.');
    expect(await countExecutions(state)).toBe(before);
  });
});

test.describe('an execution', () => {
  test('is run again once however often it is confirmed, and both name each other', async ({
    ann: page,
    state,
  }) => {
    const id = await runExecution(state, { model: 'sandbox-text', input: { prompt: 'Again' } });
    await open(page, `/executions/${id}`);
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.evaluate(
      `const confirm = [...document.querySelectorAll('dialog[open] button')].at(-1);
       for (let i = 0; i < 3; i++) confirm.click()`,
    );
    await untilText(page, 'A rerun of');
    const rerun = page.url().split('/').at(-1) ?? '';
    expect(rerun).not.toBe(id);
    expect((await admin<Whole>(state, `/executions/${rerun}`)).rerun_of).toBe(id);
    expect((await admin<Whole>(state, `/executions/${id}`)).reruns).toMatchObject([{ id: rerun }]);
    await page.getByRole('link', { name: id }).click();
    await page.getByRole('link', { name: rerun }).waitFor();
  });
});
