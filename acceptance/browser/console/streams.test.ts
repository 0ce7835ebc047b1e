import type { LocalState } from '@holdfast/local/launch/stateFile';
import { until } from '@holdfast/testkit/until';
import type { Page } from '@playwright/test';
import { hostile, owned, tooWide, untilText, violations } from '../pages.ts';
import { admin, post } from './operator.ts';
import { expect, open, test } from './world.ts';

type Whole = { status: string; cost: string | null; hold_amount: string; partial_output?: string };

/** It writes for longer than a test takes. */
const long = { prompt: hostile, tokens: 2000, tokens_per_s: 20 };

let made = 0;

async function startStream(state: LocalState, input: object): Promise<string> {
  made += 1;
  const request = { model: 'sandbox-text', input, stream: true };
  return await post(state, `/organizations/${state.organization_id}/executions`, request, {
    'Idempotency-Key': `a stream ${made} of ${process.pid}`,
  });
}

const output = (page: Page) => page.getByRole('region', { name: 'Text of the output' });

const shownOf = async (page: Page) => (await output(page).textContent()) ?? '';

async function untilGrown(page: Page): Promise<void> {
  await output(page).waitFor();
  const first = (await shownOf(page)).length;
  await until('the output grows', async () => (await shownOf(page)).length > first + 20);
  expect(await output(page).getAttribute('aria-busy')).toBe('true');
}

async function cancel(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Cancel execution' }).click();
  await untilText(page, 'What it has shown so far is charged, at most the hold');
  await page.locator('dialog[open] button').last().click();
  await untilText(page, 'It ended before its output was complete.');
}

/** The page shows what the record says, and does so accessibly at each width. */
async function expectCharged(page: Page, { cost, hold_amount: hold, ...whole }: Whole): Promise<void> {
  expect(whole.status).toBe('CANCELLED');
  expect(Number(cost)).toBeGreaterThan(0);
  expect(Number(cost)).toBeLessThanOrEqual(Number(hold));
  await untilText(page, `${cost} USD was charged for what was shown`);
  expect(await shownOf(page)).toBe(whole.partial_output);
  await expectUsable(page);
}

async function expectUsable(page: Page): Promise<void> {
  for (const width of [360, 768, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      expect([width, colorScheme, await violations(page)]).toEqual([width, colorScheme, []]);
    }
    expect([width, await tooWide(page)]).toEqual([width, []]);
  }
}

test.describe('streams', () => {
  test('the playground shows the text of a model as it grows, then what it cost', async ({
    ann: page,
    problems,
    state,
  }) => {
    await open(page, `/playground?model=sandbox-text&organization=${state.organization_id}`);
    await page.getByLabel(/^prompt/).fill(`A harbour ${hostile}`);
    await page.getByLabel(/^tokens(?!_)/).fill('60');
    await page.getByLabel(/^tokens_per_s/).fill('10');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await untilGrown(page);
    await expectUsable(page);
    const growing = (await shownOf(page)).slice(0, 60);
    await untilText(page, '60 output tokens');
    expect((await shownOf(page)).startsWith(growing)).toBe(true);
    expect((await shownOf(page)).split(/\s+/).filter(Boolean).length).toBe(60);
    expect(await output(page).getAttribute('aria-busy')).toBeNull();
    expect(await owned(page)).toBeUndefined();
    expect(problems).toEqual([]);
  });

  test('an execution shows a stream from its beginning, and says what its cancel was charged', async ({
    ann: page,
    problems,
    state,
  }) => {
    const id = await startStream(state, long);
    await open(page, `/executions/${id}`);
    await untilGrown(page);
    await page.reload();
    await untilGrown(page);
    expect(await shownOf(page)).toMatch(/^You wrote/);
    await expectUsable(page);
    await cancel(page);
    await expectCharged(page, await admin<Whole>(state, `/executions/${id}`));
    expect(await owned(page)).toBeUndefined();
    expect(problems).toEqual([]);
  });

  test('the portal shows a stream, and says what its cancel was charged', async ({
    page,
    problems,
    state,
  }) => {
    const id = await startStream(state, long);
    const link = await fetch(`${state.base_url}/v1/portal-sessions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${state.api_key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ capabilities: ['executions'] }),
    });
    const session = (await link.json()) as { id: string; url: string };
    await page.goto(session.url);
    await page.getByRole('heading', { name: 'Executions' }).waitFor();
    await page.goto(`${state.base_url}/console/s/${session.id}/executions/${id}`);
    await untilGrown(page);
    await expectUsable(page);
    await cancel(page);
    await expectCharged(page, await admin<Whole>(state, `/executions/${id}`));
    expect(await owned(page)).toBeUndefined();
    expect(problems).toEqual([]);
  });

  test('an output begins again after a reset, and is read on after a refused connection', async ({
    ann: page,
    state,
  }) => {
    const id = await startStream(state, long);
    const responses = [
      'retry: 10\n\nid: 1\nevent: output\ndata: {"delta":"A first try"}\n\n',
      null,
      'retry: 60000\n\nid: 2\nevent: reset\ndata: {"attempt":2}\n\nid: 3\nevent: output\ndata: {"delta":"A second try"}\n\n',
    ];
    const asked: (string | null)[] = [];
    await page.route(/\/stream(\?|$)/, async (route) => {
      const body = responses[asked.length] ?? null;
      asked.push(new URL(route.request().url()).searchParams.get('starting_after'));
      await route.fulfill(body === null ? { status: 503 } : { contentType: 'text/event-stream', body });
    });
    await open(page, `/executions/${id}`);
    await untilText(page, 'A first try');
    await untilText(page, 'Attempt 2 starts the output again');
    expect(await shownOf(page)).toBe('A second try');
    expect(asked).toEqual([null, null, '1']);
    await post(state, `/executions/${id}/cancel`, {});
  });
});
