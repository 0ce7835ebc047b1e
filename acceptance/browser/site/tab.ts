import { readFileSync } from 'node:fs';
import { type Browser, consoleRequire, type Page } from '../console/browser.ts';

const axeSource = readFileSync(consoleRequire.resolve('axe-core/axe.min.js'), 'utf8');

/** Rules of axe: all of WCAG 2.2 AA, what depends on colours, and what depends on sizes. */
export const rules = {
  all: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'],
  colours: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
  sizes: { type: 'rule', values: ['target-size', 'scrollable-region-focusable'] },
} as const;

/** A new tab, and what it did that no page of the site may do. */
export async function openTab(browser: Browser, origin: string) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const problems: string[] = [];
  const note = (what: string) => problems.push(`${page.url()}: ${what}`);
  page.on('pageerror', (error) => note(String(error.message)));
  page.on('console', (message) => {
    if (message.type?.() === 'error') note(message.text?.() ?? '');
  });
  page.on('request', (request) => {
    const url = request.url?.() ?? '';
    if (!/^(data|blob):/.test(url) && !url.startsWith(`${origin}/`)) note(`requested ${url}`);
  });
  return { context, page, problems };
}

export async function loadAxe(page: Page): Promise<void> {
  await page.evaluate(axeSource);
}

type Violation = { id: string; nodes: { html: string }[] };

/** What axe finds on a page that has loaded it, outside the elements that `except` selects. */
export async function violations(
  page: Page,
  kind: keyof typeof rules,
  except: readonly string[] = [],
): Promise<string[]> {
  const where = JSON.stringify({ exclude: except.map((selector) => [selector]) });
  const options = JSON.stringify({ runOnly: rules[kind], resultTypes: ['violations'] });
  const found = await page.evaluate<Violation[]>(
    `axe.run(${except.length > 0 ? where : 'document'}, ${options}).then((result) => result.violations)`,
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

/** By how many pixels a page is wider than the window. */
export async function overflow(page: Page): Promise<number> {
  return await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
