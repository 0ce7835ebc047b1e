import type { Page } from '@playwright/test';
import axe from 'axe-core';

/** Text of clients, providers and receivers that would run if a page took it for markup. */
export const hostile = `<img src=x onerror="window.owned=1"><script>window.owned=1</script>`;

/** Whether hostile text ran: undefined if not. */
export const owned = (page: Page) => page.evaluate<unknown>('window.owned');

export async function untilText(page: Page, what: string | RegExp): Promise<void> {
  await page.getByText(what).first().waitFor({ state: 'attached' });
}

/** Rules of axe: all of WCAG 2.2 AA, what depends on colours, and what depends on sizes. */
export const rules = {
  all: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'],
  colours: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
  sizes: { type: 'rule', values: ['target-size', 'scrollable-region-focusable'] },
} as const;

/** Where screen readers would find no heading or two regions of one name. */
const structure = { 'page-has-heading-one': { enabled: true }, 'landmark-unique': { enabled: true } };

type Violation = { id: string; nodes: { html: string }[] };
type Scope = { kind?: keyof typeof rules; hasStructure?: boolean; except?: readonly string[] };

/** What axe finds on a page, outside the elements that `except` selects. */
export async function violations(page: Page, scope: Scope = {}): Promise<string[]> {
  const { kind = 'all', hasStructure = true, except = [] } = scope;
  const where =
    except.length > 0 ? JSON.stringify({ exclude: except.map((selector) => [selector]) }) : 'document';
  const options = {
    runOnly: rules[kind],
    resultTypes: ['violations'],
    ...(hasStructure && { rules: structure }),
  };
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source);
  const found = await page.evaluate<Violation[]>(
    `axe.run(${where}, ${JSON.stringify(options)}).then((result) => result.violations)`,
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
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
