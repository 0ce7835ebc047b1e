import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { LocalState } from '@holdfast/local/launch/stateFile';
import { apiClient } from '@holdfast/testkit/apiClient';
import { until } from '@holdfast/testkit/until';
import { type Browser, type BrowserContext, consoleRequire, type Page } from './browser.ts';

export const ann = 'ann-has-a-token-of-hers';
export const val = 'val-has-a-token-as-well';

/** Text of clients, providers and receivers that would run if a page took it for markup. */
export const hostile = `<img src=x onerror="window.owned=1"><script>window.owned=1</script>`;

/** A receiver that refuses with `status` until `accept` is called, and says hostile things. */
export async function startReceiver(status = 500) {
  let accepts = false;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.statusCode = accepts ? 200 : status;
      response.setHeader('Content-Type', 'text/html');
      response.end(hostile);
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    origin: `http://127.0.0.1:${port}`,
    accept: () => {
      accepts = true;
    },
    close: () => server.close(),
  };
}

/** A browser in which this operator is signed in with their token. */
export async function signIn(
  browser: Browser,
  state: LocalState,
  token: string,
): Promise<{ context: BrowserContext; page: Page; problems: string[] }> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(JSON.stringify(message)));
  page.on('console', (message) => {
    const line = message.text?.() ?? '';
    if (message.type?.() === 'error' && /Content.Security.Policy|violates/i.test(line)) problems.push(line);
  });
  await page.goto(`${state.admin_url}/`);
  await page.getByLabel('Admin token').fill(token);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  return { context, page, problems };
}

type Violation = { id: string; nodes: { html: string }[] };

/** What axe finds against WCAG 2.2 AA, and where screen readers would find no heading or two regions of one name. */
export async function violations(page: Page): Promise<string[]> {
  const source = readFileSync(consoleRequire.resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(source);
  const found = await page.evaluate<{ violations: Violation[] }>(
    `axe.run(document, {
       runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"],
       rules: { "page-has-heading-one": { enabled: true }, "landmark-unique": { enabled: true } },
     })`,
  );
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

/** What a reader has to scroll sideways for, or what sticks out of its column. */
export const tooWide = (page: Page) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('html, main *')]
       .filter((one) => one.scrollWidth > one.clientWidth + (one.matches('html') ? 0 : 1))
       .filter((one) => one.matches('html, td *, th *') || getComputedStyle(one).overflowX === 'auto')
       .filter((one) => getComputedStyle(one).overflowX !== 'hidden')
       .map(({ tagName, textContent }) => tagName + ': ' + textContent.slice(0, 40))`,
  );

/** An execution of the demo organization, once it has ended. */
export async function runExecution(state: LocalState, request: object): Promise<string> {
  const headers = { Authorization: `Bearer ${state.api_key}`, 'Content-Type': 'application/json' };
  const response = await fetch(`${state.base_url}/v1/executions`, {
    method: 'POST',
    headers: { ...headers, Prefer: 'wait=30' },
    body: JSON.stringify(request),
  });
  const { id } = (await response.json()) as { id: string };
  return id;
}

export async function admin<Found>(state: LocalState, path: string, token = ann): Promise<Found> {
  const { body } = await apiClient(state.admin_url, token).get(`/admin/v1${path}`);
  return body as Found;
}

/** Returns the id of what ann makes. */
export async function post(state: LocalState, path: string, body: object, headers = {}): Promise<string> {
  const made = await apiClient(state.admin_url, ann).post(`/admin/v1${path}`, body, headers);
  return String(made.body['id']);
}

export async function untilText(page: Page, what: string | RegExp): Promise<void> {
  await until(`the page shows ${what}`, async () => (await page.getByText(what).count()) > 0);
}

export const screenshots = join(import.meta.dirname, '../../../docs/console');
