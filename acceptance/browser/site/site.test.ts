import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPages } from '@holdfast/docs/pages';
import { isFresh, repository, siteFolder } from '@holdfast/docs/site';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type LocalHoldfast, startLocalHoldfast } from '../../stack/localHoldfast.ts';
import { type Browser, openBrowser, type Page } from '../console/browser.ts';
import { untilText } from '../console/operator.ts';
import { loadAxe, openTab, overflow, type rules, violations } from './tab.ts';

type Look = { scheme: 'light' | 'dark'; width: 1440 | 1024 | 390; check: keyof typeof rules };

/** Themes change colours, and widths change sizes. */
const looks: readonly Look[] = [
  { scheme: 'light', width: 1440, check: 'all' },
  { scheme: 'light', width: 1024, check: 'sizes' },
  { scheme: 'light', width: 390, check: 'sizes' },
  { scheme: 'dark', width: 390, check: 'colours' },
  { scheme: 'dark', width: 1024, check: 'colours' },
  { scheme: 'dark', width: 1440, check: 'colours' },
];
const paths = [...readPages(repository).map(({ path }) => path), 'models/sandbox-image', '404'];
/** The same on every page; examined on the first alone. */
const frame = ['.top', '#navigation'];

const home = mkdtempSync(join(tmpdir(), 'holdfast-site-'));
// PostgreSQL runs as another user when we are root.
chmodSync(home, 0o755);

let holdfast: LocalHoldfast;
let browser: Browser;
let origin: string;
let key: string;

beforeAll(async () => {
  [holdfast, browser] = await Promise.all([startLocalHoldfast(home), openBrowser()]);
  const state = holdfast.readState();
  origin = state.base_url;
  key = state.api_key;
  await until('the site is built', () => isFresh(repository, siteFolder), 120_000);
}, 240_000);

afterAll(async () => {
  await browser?.close();
  await holdfast?.stop();
  rmSync(home, { recursive: true, force: true });
});

async function open(page: Page, path: string): Promise<void> {
  const response = await page.goto(`${origin}/docs/${path}`);
  if (response?.status() !== 200) throw new Error(`${path}: ${response?.status()}`);
  if (path === 'reference') await page.getByRole('heading', { name: 'Holdfast API' }).waitFor();
}

async function showModels(page: Page): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Show the models' }).click();
  await page.getByRole('button', { name: 'Forget the key' }).waitFor();
}

async function lookAt(page: Page, { scheme, width }: Pick<Look, 'scheme' | 'width'>): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme });
  await page.setViewportSize({ width, height: 900 });
}

/** Loads a page once and examines it in every look. */
async function faultsOf(page: Page, path: string): Promise<string[]> {
  const faults: string[] = [];
  await lookAt(page, { scheme: 'light', width: 1440 });
  await open(page, path);
  await loadAxe(page);
  for (const look of looks) {
    await lookAt(page, look);
    const found = await violations(page, look.check, path === '' ? [] : frame);
    const pixels = await overflow(page);
    if (pixels > 0) found.push(`wider than the window by ${pixels} px`);
    faults.push(...found.map((one) => `/docs/${path} at ${look.width} in ${look.scheme}: ${one}`));
  }
  return faults;
}

/** Takes pages from the queue until there is none. */
async function examine(queue: string[]): Promise<string[]> {
  const { page, context, problems } = await openTab(browser, origin);
  await open(page, 'models');
  await showModels(page);
  const faults: string[] = [];
  for (let path = queue.shift(); path !== undefined; path = queue.shift())
    faults.push(...(await faultsOf(page, path)));
  await context.close();
  return [...problems, ...faults];
}

describe('every page', () => {
  it('is accessible, fits each width, keeps to its policy and loads nothing from elsewhere, in light and dark', async () => {
    const queue = [...paths];
    const faults = await Promise.all([examine(queue), examine(queue), examine(queue)]);
    expect(paths.length).toBeGreaterThan(150);
    expect(faults.flat()).toEqual([]);
  }, 600_000);
});

describe('a reader', () => {
  it.each([
    ['webhook signature', /\/docs\/webhooks\/verify$/],
    ['hold', /\/docs\/guides\/balance$/],
    ['INSUFFICIENT_BALANCE', /\/docs\/errors\/INSUFFICIENT_BALANCE$/],
  ])('finds "%s" first by the search, with the keyboard alone', async (phrase, place) => {
    const { page, context, problems } = await openTab(browser, origin);
    await open(page, '');
    await page.keyboard.press('/');
    await page.getByRole('searchbox').fill(phrase);
    await page.locator('.finder li a').first().waitFor();
    await loadAxe(page);
    expect(await violations(page, 'all')).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL(place);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('is led from an address without a page to one by the search', async () => {
    const { page, context } = await openTab(browser, origin);
    const response = await page.goto(`${origin}/docs/errors/NO_SUCH`);
    expect(response?.status()).toBe(404);
    await page.getByRole('button', { name: 'Search the documentation' }).click();
    await page.getByRole('searchbox').fill('webhook signature');
    await page.locator('.finder li a').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\/webhooks\/verify$/);
    await context.close();
  });

  it('searches again after its index did not load', async () => {
    const { page, context, problems } = await openTab(browser, origin);
    await open(page, '');
    await page.evaluate(
      'window.loaded = fetch; window.fetch = async () => new Response("", { status: 503 })',
    );
    await page.keyboard.press('/');
    await page.getByText('The search did not load. Type to try again.').waitFor();
    await page.evaluate('window.fetch = window.loaded');
    await page.getByRole('searchbox').fill('hold');
    await page.locator('.finder li a').first().waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('copies a sample over plain http, where pages have no clipboard', async () => {
    const { page, context, problems } = await openTab(browser, origin);
    await open(page, 'quickstart/typescript');
    await page.evaluate('Object.defineProperty(navigator, "clipboard", { value: undefined })');
    await page.evaluate(
      'document.addEventListener("copy", () => { window.copied = String(getSelection()); })',
    );
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const [copied, sample] = await page.evaluate<string[]>(
      '[window.copied, document.querySelector(".sample code").textContent].map((text) => text.trim())',
    );
    expect(copied).toBe(sample);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('opens the navigation on a phone', async () => {
    const { page, context } = await openTab(browser, origin);
    await lookAt(page, { scheme: 'dark', width: 390 });
    await open(page, 'webhooks');
    const menu = page.getByRole('button', { name: 'Navigation' });
    await menu.click();
    await loadAxe(page);
    expect(await violations(page, 'all')).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await menu.getAttribute('aria-expanded')).toBe('false');
    await menu.click();
    await page.getByRole('link', { name: 'Idempotency' }).click();
    await page.waitForURL(/\/docs\/guides\/idempotency$/);
    await context.close();
  });

  it('loads less than 150 kB for the front page', async () => {
    const { page, context } = await openTab(browser, origin);
    await open(page, '');
    const bytes = await page.evaluate<number>(
      `performance.getEntries().reduce((sum, { encodedBodySize = 0 }) => sum + encodedBodySize, 0)`,
    );
    expect(bytes).toBeGreaterThan(5_000);
    expect(bytes).toBeLessThan(150_000);
    await context.close();
  });

  it('runs a model with a key that stays in the tab', async () => {
    const { page, context, problems } = await openTab(browser, origin);
    await open(page, 'models/sandbox-text');
    await showModels(page);
    await page.getByRole('button', { name: 'Estimate' }).click();
    await untilText(page, /^Estimated cost [\d.]+; [\d.]+ would be held/);
    await page.getByRole('button', { name: 'Run it' }).click();
    await untilText(page, /^exec_[\w-]+: COMPLETED, cost/);
    expect(await page.evaluate('JSON.stringify(localStorage) + document.cookie')).not.toContain(key);
    const other = await context.newPage();
    await open(other, 'models');
    expect(await other.evaluate('JSON.stringify(sessionStorage)')).not.toContain(key);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('tries a request of the reference with a key that only this tab has, for all pages', async () => {
    const { page, context, problems } = await openTab(browser, origin);
    await open(page, 'reference#tag/models/GET/v1/models');
    await page.getByRole('button', { name: /Test Request\s*\(get \/v1\/models\)/ }).click();
    const client = page.getByRole('dialog');
    await client.getByPlaceholder('Token').fill(key);
    await client
      .getByRole('button', { name: /^Send get request/ })
      .first()
      .click();
    await client.getByText('"image-transform"').first().waitFor();
    expect(await page.evaluate('JSON.stringify(localStorage) + document.cookie')).not.toContain(key);
    expect(await page.evaluate('indexedDB.databases()')).toEqual([]);
    await page.goto(`${origin}/docs/reference#tag/executions/POST/v1/executions`);
    await page.reload();
    await page.getByRole('button', { name: /Test Request\s*\(post \/v1\/executions\)/ }).click();
    const send = client.getByRole('button', { name: /^Send post request/ }).first();
    const made = async () => {
      const response = await fetch(`${origin}/v1/executions`, {
        headers: { Authorization: `Bearer ${key}` },
      });
      return ((await response.json()) as { data: { id: string; webhook_url: string | null }[] }).data;
    };
    const before = (await made()).length;
    for (const count of [1, 2]) {
      await send.click();
      await until(
        `try ${count} made an execution of its own`,
        async () => (await made()).length === before + count,
      );
    }
    expect((await made())[0]?.webhook_url).toBeNull();
    expect(problems).toEqual([]);
    await context.close();
  });
});

const folder = process.env['DOCS_SCREENSHOTS'];
const shown =
  ',quickstart/typescript,guides/executions,webhooks,errors/INSUFFICIENT_BALANCE,reference,models,models/sandbox-image,operate,operate/recover,promises,comparison';

// Images to look at.
(folder === undefined ? it.skip : it)(
  'is shown in every look',
  async () => {
    const { page, context } = await openTab(browser, origin);
    mkdirSync(folder ?? '', { recursive: true });
    await open(page, 'models');
    await showModels(page);
    for (const path of shown.split(',')) {
      await open(page, path);
      for (const look of looks) {
        await lookAt(page, look);
        const name = `${path.replaceAll('/', '-') || 'index'}-${look.width}-${look.scheme}.png`;
        await page.screenshot({ path: join(folder ?? '', name) });
      }
    }
    await context.close();
  },
  600_000,
);
