import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = resolve(import.meta.dirname, '../../..');
const pages = globSync(['*.md', '{docs,deploy,packages,models,sdk}/**/*.md'], {
  cwd: root,
  exclude: (name) => name.includes('node_modules') || name.startsWith('packages/docs/site'),
}).sort();

/** Markdown without fenced blocks, whose `#` and brackets are not Markdown. */
const proseOf = (path: string) => readFileSync(path, 'utf8').replaceAll(/^```.*?^```$/gms, '');

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(path: string): Set<string> {
  const anchors = [...proseOf(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set(anchors.map((anchor, n) => (anchors.indexOf(anchor) === n ? anchor : `${anchor}-1`)));
}

function brokenLinksOf(page: string): string[] {
  const path = join(root, page);
  const links = [...proseOf(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : resolve(dirname(path), file);
    if (!existsSync(target)) return true;
    return anchor !== undefined && statSync(target).isFile() && !anchorsOf(target).has(anchor);
  });
}

describe('the documents', () => {
  it.each(pages)('%s has no broken link', (page) => {
    expect(brokenLinksOf(page)).toEqual([]);
  });

  it.each(pages)('%s names only existing files of the tree', (page) => {
    const named = readFileSync(join(root, page), 'utf8').matchAll(
      /`((?:acceptance|bench|deploy|docs|packages|prisma|scripts|services)\/[\w./-]+)`/g,
    );
    expect([...named].map(([, path = '']) => path).filter((path) => !existsSync(join(root, path)))).toEqual(
      [],
    );
  });

  it('are all listed in an index', () => {
    const indexed = {
      'docs/README.md': 'docs',
      'CONTRIBUTING.md': 'docs/contributing',
      'docs/adr/README.md': 'docs/adr',
      'docs/operate/README.md': 'docs/operate',
      'docs/operate/alerts/README.md': 'docs/operate/alerts',
      'docs/webhooks.md': 'docs/webhooks',
      'docs/models.md': 'docs/models',
    };
    for (const [index, folder] of Object.entries(indexed)) {
      const listed = readFileSync(join(root, index), 'utf8');
      const missing = globSync('*.md', { cwd: join(root, folder) }).filter(
        (page) =>
          page !== 'README.md' && !listed.includes(`(${relative(dirname(index), join(folder, page))})`),
      );
      expect(missing).toEqual([]);
    }
  });
});
