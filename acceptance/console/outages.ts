import type { LocalState } from '@holdfast/local/launch/stateFile';
import { until } from '@holdfast/testkit/until';
import { describe, expect, it } from '@jest/globals';
import type { Browser, Page } from './browser.ts';
import { ann, signIn, untilText } from './operator.ts';

const notice = 'The server did not respond. Trying again …';

/** What pages show while the server does not respond, and after. */
export function describeOutages(get: () => { state: LocalState; browser: Browser }): void {
  const open = (page: Page, path: string) => page.goto(`${get().state.admin_url}/console${path}`);
  const untilNoNotice = (page: Page) =>
    until('the page has read everything', async () => (await page.getByText(/Trying again/).count()) === 0);

  describe('a page whose reads fail', () => {
    it.each([
      ['/organizations', /\/admin\/v1\/organizations/, 'Demo'],
      ['/sessions', /\/admin\/v1\/sessions/, 'this session'],
      ['/models', /\/admin\/v1\/session$/, 'sandbox-text'],
    ])('says so and tries until %s is shown', async (path, reads, shown) => {
      const { state, browser } = get();
      const { page, context } = await signIn(browser, state, ann);
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
      await context.close();
    });

    it('says so beside what it has read, and shows why the server refused', async () => {
      const { state, browser } = get();
      const { page, context } = await signIn(browser, state, ann);
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
      await context.close();
    });
  });
}
