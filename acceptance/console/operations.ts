import type { LocalState } from '@holdfast/local/launch/stateFile';
import { until } from '@holdfast/testkit/until';
import { describe, expect, it } from '@jest/globals';
import type { Browser, Page } from './browser.ts';
import { admin, ann, signIn, untilText, val } from './operator.ts';

type Stack = { state(): LocalState; browser(): Browser };

/** What operators see and do besides single executions: the overview, queues and the audit. */
export function describeOperations({ state, browser }: Stack): void {
  const open = (page: Page, path: string) => page.goto(`${state().admin_url}/console${path}`);
  const confirm = async (page: Page, name: string) => {
    await page.getByRole('button', { name }).first().click();
    await page.getByRole('button', { name: 'Confirm' }).click();
  };

  describe('the overview', () => {
    it('shows the last hour, and what needs a person with the page and the runbook', async () => {
      const { page, context, problems } = await signIn(browser(), state(), ann);
      await untilText(page, 'Executions by the minute of their creation');
      await page.getByRole('cell', { name: 'closed' }).first().waitFor();
      await untilText(page, 'MODEL_OVERLOADED');
      await page.getByText('Show as a table').click();
      await page.getByRole('columnheader', { name: 'Cancelled' }).waitFor();
      await open(page, '/queues');
      await confirm(page, 'Pause');
      await page.getByRole('button', { name: 'Resume' }).waitFor();
      await open(page, '/');
      await untilText(page, 'The queue dispatch is paused');
      expect(await page.getByRole('link', { name: 'Runbook' }).first().getAttribute('href')).toBe(
        '/docs/runbooks/HoldfastQueueStuck',
      );
      await page.getByRole('link', { name: 'Open', exact: true }).first().click();
      await confirm(page, 'Resume');
      await until(
        'no queue is paused',
        async () => (await page.getByRole('button', { name: 'Resume' }).count()) === 0,
      );
      const { data } = await admin<{ data: { actor: string; action: string; target: string }[] }>(
        state(),
        '/actions?action=pause',
      );
      expect(data).toMatchObject([
        { actor: 'ann', action: 'DELETE /admin/v1/queues/{queue}/pause', target: 'dispatch' },
        { actor: 'ann', action: 'PUT /admin/v1/queues/{queue}/pause', target: 'dispatch' },
      ]);
      expect(problems).toEqual([]);
      await context.close();
    });

    it('offers a viewer no change', async () => {
      const { page, context } = await signIn(browser(), state(), val);
      await open(page, '/queues');
      const pause = page.getByRole('button', { name: 'Pause' }).first();
      await pause.waitFor();
      expect(await pause.isDisabled()).toBe(true);
      await open(page, '/audit');
      const run = page.getByRole('button', { name: 'Run now' });
      await run.waitFor();
      expect(await run.isDisabled()).toBe(true);
      await context.close();
    });
  });

  describe('the audit', () => {
    it('runs when an operator asks for it, and its result appears', async () => {
      const { page, context } = await signIn(browser(), state(), ann);
      const last = () =>
        admin<{ finished_at: string | null; requested_at: string | null }>(state(), '/ledger/audit');
      const before = await last();
      await open(page, '/audit');
      await confirm(page, 'Run now');
      await untilText(page, 'An audit is requested');
      await until('the audit has run', async () => {
        const { finished_at: at, requested_at: requested } = await last();
        return at !== before.finished_at && requested === null;
      });
      await untilText(page, 'The ledger is consistent');
      await until(
        'the page no longer waits',
        async () => (await page.getByText('An audit is requested').count()) === 0,
      );
      await context.close();
    });
  });
}
