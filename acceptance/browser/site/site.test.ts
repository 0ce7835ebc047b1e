import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPages } from '@holdfast/docs/pages';
import { isFresh, repository, siteFolder } from '@holdfast/docs/site';
import { until } from '@holdfast/testkit/until';
import { type BrowserContext, test as base, expect, type Page } from '@playwright/test';
import { startLocalHoldfast } from '../../stack/localHoldfast.ts';
import { type rules, untilText, violations } from '../pages.ts';

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

type Site = { origin: string; key: string };
type Tab = { page: Page; problems: string[] };

/** A new tab, and what it did that no page of the site may do. */
async function openTab(context: BrowserContext, origin: string): Promise<Tab> {
  const page = await context.newPage();
  const problems: string[] = [];
  const note = (what: string) => problems.push(`${page.url()}: ${what}`);
  page.on('pageerror', ({ message }) => note(message));
  page.on('console', (message) => {
    if (message.type() === 'error') note(message.text());
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!/^(data|blob):/.test(url) && !url.startsWith(`${origin}/`)) note(`requested ${url}`);
  });
  return { page, problems };
}

const test = base.extend<{ tab: Tab }, { site: Site }>({
  site: [
    // Playwright wants a pattern here, also for a fixture that needs no other.
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const home = mkdtempSync(join(tmpdir(), 'holdfast-site-'));
      // PostgreSQL runs as another user when we are root.
      chmodSync(home, 0o755);
      const holdfast = await startLocalHoldfast(home, { PUBLIC_MODELS: 'true' });
      await until('the site is built', () => isFresh(repository, siteFolder), 120_000);
      const { base_url: origin, api_key: key } = holdfast.readState();
      await use({ origin, key });
      await holdfast.stop();
      rmSync(home, { recursive: true, force: true });
    },
    { scope: 'worker', timeout: 240_000 },
  ],
  baseURL: async ({ site }, use) => await use(site.origin),
  tab: async ({ context, site }, use) => await use(await openTab(context, site.origin)),
});

async function open(page: Page, path: string): Promise<void> {
  const response = await page.goto(`/docs/${path}`);
  if (response?.status() !== 200) throw new Error(`${path}: ${response?.status()}`);
  if (path === 'reference') await page.getByRole('heading', { name: 'Holdfast API' }).waitFor();
}

async function showModels(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Show the models' }).click();
  await page.getByRole('button', { name: 'Forget the key' }).waitFor();
}

async function lookAt(page: Page, { scheme, width }: Pick<Look, 'scheme' | 'width'>): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme });
  await page.setViewportSize({ width, height: 900 });
}

/** By how many pixels a page is wider than the window. */
const overflow = (page: Page) =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');

const violationsOf = (page: Page, kind: keyof typeof rules, except: readonly string[] = []) =>
  violations(page, { kind, except, hasStructure: false });

/** Loads a page once and examines it in every look. */
async function faultsOf(page: Page, path: string): Promise<string[]> {
  const faults: string[] = [];
  await lookAt(page, { scheme: 'light', width: 1440 });
  await open(page, path);
  for (const look of looks) {
    await lookAt(page, look);
    const found = await violationsOf(page, look.check, path === '' ? [] : frame);
    const pixels = await overflow(page);
    if (pixels > 0) found.push(`wider than the window by ${pixels} px`);
    faults.push(...found.map((one) => `/docs/${path} at ${look.width} in ${look.scheme}: ${one}`));
  }
  return faults;
}

/** Takes pages from the queue until there is none. */
async function examine({ page, problems }: Tab, key: string, queue: string[]): Promise<string[]> {
  await open(page, 'models');
  await showModels(page, key);
  const faults: string[] = [];
  for (let path = queue.shift(); path !== undefined; path = queue.shift())
    faults.push(...(await faultsOf(page, path)));
  return [...problems, ...faults];
}

test.describe('every page', () => {
  test('is accessible, fits each width, keeps to its policy and loads nothing from elsewhere, in light and dark', async ({
    browser,
    site,
  }) => {
    test.setTimeout(600_000);
    const queue = [...paths];
    const examineSome = async () =>
      await examine(await openTab(await browser.newContext(), site.origin), site.key, queue);
    const faults = await Promise.all([examineSome(), examineSome(), examineSome()]);
    expect(paths.length).toBeGreaterThan(150);
    expect(faults.flat()).toEqual([]);
  });
});

test.describe('a reader', () => {
  for (const [phrase, place] of [
    ['webhook signature', /\/docs\/webhooks\/verify$/],
    ['hold', /\/docs\/guides\/balance$/],
    ['INSUFFICIENT_BALANCE', /\/docs\/errors\/INSUFFICIENT_BALANCE$/],
  ] as const)
    test(`finds "${phrase}" first by the search, with the keyboard alone`, async ({
      tab: { page, problems },
    }) => {
      await open(page, '');
      await page.keyboard.press('/');
      await page.getByRole('searchbox').fill(phrase);
      await page.locator('.finder li a').first().waitFor();
      expect(await violationsOf(page, 'all')).toEqual([]);
      await page.keyboard.press('Enter');
      await page.waitForURL(place);
      expect(problems).toEqual([]);
    });

  test('is led from an address without a page to one by the search', async ({ tab: { page } }) => {
    const response = await page.goto(`/docs/errors/NO_SUCH`);
    expect(response?.status()).toBe(404);
    await page.getByRole('button', { name: 'Search the documentation' }).click();
    await page.getByRole('searchbox').fill('webhook signature');
    await page.locator('.finder li a').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\/webhooks\/verify$/);
  });

  test('searches again after its index did not load', async ({ tab: { page, problems } }) => {
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
  });

  test('copies a sample over plain http, where pages have no clipboard', async ({
    tab: { page, problems },
  }) => {
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
  });

  test('opens the navigation on a phone', async ({ tab: { page } }) => {
    await lookAt(page, { scheme: 'dark', width: 390 });
    await open(page, 'webhooks');
    const menu = page.getByRole('button', { name: 'Navigation' });
    await menu.click();
    expect(await violationsOf(page, 'all')).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await menu.getAttribute('aria-expanded')).toBe('false');
    await menu.click();
    await page.getByRole('link', { name: 'Idempotency' }).click();
    await page.waitForURL(/\/docs\/guides\/idempotency$/);
  });

  test('loads less than 150 kB for the front page', async ({ tab: { page } }) => {
    await open(page, '');
    const bytes = await page.evaluate<number>(
      `performance.getEntries().reduce((sum, { encodedBodySize = 0 }) => sum + encodedBodySize, 0)`,
    );
    expect(bytes).toBeGreaterThan(5_000);
    expect(bytes).toBeLessThan(150_000);
  });

  test('runs a model with a key that stays in the tab', async ({
    tab: { page, problems },
    context,
    site: { key },
  }) => {
    await open(page, 'models/sandbox-text');
    await page.getByText('Price in USD').waitFor();
    await showModels(page, key);
    const prompt = page.getByRole('group', { name: 'Input fields' }).getByRole('row', { name: /^prompt/ });
    expect(await prompt.textContent()).toMatch(/^promptstringrequired/);
    await page.getByRole('button', { name: 'Estimate' }).click();
    await untilText(page, /^Estimated cost [\d.]+; [\d.]+ would be held/);
    await page.getByRole('button', { name: 'Run it' }).click();
    await untilText(page, /^exec_[\w-]+: COMPLETED, cost/);
    expect(await page.evaluate('JSON.stringify(localStorage) + document.cookie')).not.toContain(key);
    const other = await context.newPage();
    await open(other, 'models');
    expect(await other.evaluate('JSON.stringify(sessionStorage)')).not.toContain(key);
    expect(problems).toEqual([]);
  });

  test('tries a request of the reference with a key that only this tab has, for all pages', async ({
    tab: { page, problems },
    site: { origin, key },
  }) => {
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
    await page.goto(`/docs/reference#tag/executions/POST/v1/executions`);
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
  });
});

const folder = process.env['DOCS_SCREENSHOTS'];
const shown =
  ',quickstart/typescript,guides/executions,webhooks,errors/INSUFFICIENT_BALANCE,reference,models,models/sandbox-image,operate,operate/recover,promises,comparison';

// Images to look at.
if (folder !== undefined)
  test('the site is shown in every look', async ({ tab: { page }, site }) => {
    test.setTimeout(600_000);
    mkdirSync(folder, { recursive: true });
    await open(page, 'models');
    await showModels(page, site.key);
    for (const path of shown.split(',')) {
      await open(page, path);
      for (const look of looks) {
        await lookAt(page, look);
        const name = `${path.replaceAll('/', '-') || 'index'}-${look.width}-${look.scheme}.png`;
        await page.screenshot({ path: join(folder, name) });
      }
    }
  });
