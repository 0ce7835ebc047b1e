import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import { createSearch } from '@holdfast/docs/search';
import { buildSite } from '@holdfast/docs/site';
import { errorCodes } from '@holdfast/domain/errors';
import { testFolder } from '@holdfast/testkit/testFolder';
import { describe, expect, it } from '@jest/globals';

const root = resolve(import.meta.dirname, '../../..');
const folder = join(testFolder('documentation'), 'site');
buildSite(root, folder);
const files = new Set(globSync('**/*', { cwd: folder }));
const pages = [...files].filter((name) => name.endsWith('.html') && name !== 'models/model.html').sort();
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const gzippedBytes = (name: string) => readFileSync(join(folder, `${name}.gz`)).length;

/** The file that a link of a page leads to, as the gateway resolves it. */
function targetOf(page: string, link: string): string {
  const path = normalize(join(dirname(page), link.split('#')[0] ?? '')).replace(/\/$/, '');
  if (link.startsWith('#')) return page;
  if (path === '.') return 'index.html';
  return files.has(path) && /\.\w+$/.test(path) ? path : `${path}.html`;
}

function brokenLinks(page: string): string[] {
  const links = [...read(page).matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    const target = targetOf(page, link);
    // The gateway serves it above the site.
    if (/^https?:/.test(link) || target === '../openapi.json.html') return false;
    const anchor = link.split('#')[1];
    return !files.has(target) || (anchor !== undefined && !read(target).includes(`id="${anchor}"`));
  });
}

describe('the documentation site', () => {
  it('has no broken link or anchor on any page', () => {
    expect(pages.length).toBeGreaterThan(100);
    expect(pages.flatMap((page) => brokenLinks(page).map((link) => `${page}: ${link}`))).toEqual([]);
  });

  it('has no inline script, style or event handler, and loads nothing from elsewhere', () => {
    const offending = pages.filter((page) => {
      const text = read(page);
      const attribute = /<\w+(?:\s+[\w-]+(?:="[^"]*")?)*?\s+(?:style|on\w+)="/;
      return (
        attribute.test(text) ||
        /<script(?![^>]* src=)|<style|<\w+[^>]*\s(?:src|action)="(?:https?:)?\/\//.test(text)
      );
    });
    expect(offending).toEqual([]);
  });

  it('has a page for every error code, with its status and whether it may be retried', () => {
    for (const [code, { status, retryable }] of Object.entries(errorCodes)) {
      const page = read(`errors/${code}.html`);
      expect(page).toContain(`HTTP ${status}`);
      expect(page).toContain(retryable ? 'May be retried' : 'Do not retry');
      expect(page).toMatch(/<h2 id="what-to-do">/);
    }
    const described = pages.filter((page) => page.startsWith('errors/'));
    expect(described).toHaveLength(Object.keys(errorCodes).length);
  });

  it('has every document of docs/', () => {
    const titles = pages.map((page) =>
      /<h1[^>]*>(.*?)<\/h1>/.exec(read(page))?.[1]?.replaceAll(/<[^>]+>/g, ''),
    );
    const missing = globSync('docs/**/*.md', { cwd: root }).filter((file) => {
      const [, title = ''] = /^# (.+)$/m.exec(readFileSync(join(root, file), 'utf8')) ?? [];
      const plain = title
        .replaceAll('`', '')
        .replaceAll('&', '&amp;')
        .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');
      return !titles.includes(plain);
    });
    expect(missing).toEqual([]);
  });

  it('gives every page as Markdown, listed in llms.txt', () => {
    const listed = [...read('llms.txt').matchAll(/\]\(([^)]+\.md)\)/g)].map(([, name = '']) => name);
    const built = ['404', 'models', 'reference'];
    expect(listed.sort()).toEqual(
      pages
        .map((page) => page.replace(/html$/, 'md'))
        .filter((page) => !built.includes(page.slice(0, -3)))
        .sort(),
    );
    expect(listed.filter((name) => !files.has(name))).toEqual([]);
  });

  it('has a front page under 150 kB, with what it loads', () => {
    const loaded = [...read('index.html').matchAll(/(?:href|src)="(assets\/[^"]+)"/g)].map(
      ([, name = '']) => name,
    );
    const bytes = [...loaded, 'index.html'].reduce((total, name) => total + gzippedBytes(name), 0);
    expect(loaded.length).toBeGreaterThan(2);
    expect(bytes).toBeLessThan(150_000);
  });

  it.each([
    ['webhook signature', /^webhooks\/verify$/],
    ['INSUFFICIENT_BALANCE', /^errors\/INSUFFICIENT_BALANCE$/],
    ['hold', /^guides\/balance$/],
    ['backup', /^backup/],
  ])('finds "%s" first where it is explained', (query, place) => {
    expect(createSearch(folder)(query)[0]).toMatch(place);
  });
});
