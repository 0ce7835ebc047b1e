import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { type ErrorCode, errorCodes } from '@holdfast/domain/errors';
import { type BuiltPage, families, type SourcePage, sections } from './navigation.ts';

/** A page of the site. */
export type Page = {
  /** Its path below /docs/, without an ending; empty for the front page. */
  path: string;
  section: string;
  /** Its name in the navigation. */
  label: string;
  /** The path of the page that lists it, if the navigation does not. */
  parent: string | null;
  /** The error code that the page describes. */
  code: ErrorCode | null;
} & ({ kind: 'source'; file: string; markdown: string } | { kind: 'reference' | 'catalogue' | 'missing' });

/** Every page, in the order of the navigation. @throws when a listed file is missing */
export function readPages(root: string): Page[] {
  return sections.flatMap(({ title, pages }) =>
    pages.flatMap((entry) => {
      if ('built' in entry) return [builtPage(entry, title)];
      const page = sourcePage(root, entry, title, null);
      const members = families.filter(({ of }) => of === entry.path);
      return [page, ...members.flatMap((family) => pagesOf(root, family, title))];
    }),
  );
}

function builtPage({ built, path, label }: BuiltPage, section: string): Page {
  return { kind: built, path, label, section, parent: null, code: null };
}

function pagesOf(root: string, family: (typeof families)[number], section: string): Page[] {
  const [before = '', after = ''] = family.files.split('*');
  const names = globSync(family.files, { cwd: root }).map((file) => file.slice(before.length, -after.length));
  return names
    .filter((name) => name !== 'README')
    .sort()
    .map((name) => {
      const entry = { file: `${before}${name}${after}`, path: family.path.replace('*', name) };
      return sourcePage(root, entry, section, family.of);
    });
}

function sourcePage(root: string, entry: SourcePage, section: string, parent: string | null): Page {
  const markdown = readFileSync(join(root, entry.file), 'utf8');
  const label = entry.label ?? /^# (.+)$/m.exec(markdown)?.[1] ?? entry.path;
  const name = basename(entry.path);
  const code = dirname(entry.path) === 'errors' && isErrorCode(name) ? name : null;
  return { kind: 'source', file: entry.file, markdown, path: entry.path, label, section, parent, code };
}

function isErrorCode(name: string): name is ErrorCode {
  return Object.hasOwn(errorCodes, name);
}

/** The path from one page of the site to another page or file, relative so that a proxy may serve the site anywhere. */
export function relativeTo(from: string, target: string): string {
  const relative = posix.relative(
    posix.join('/docs', posix.dirname(`/${from}`)),
    posix.join('/docs', target),
  );
  if (target !== '') return relative;
  return relative === '' ? './' : `${relative}/`;
}

/** Resolves the links of Markdown files to pages of the site. */
export function linkResolver(root: string, pages: readonly Page[]) {
  const byFile = new Map(pages.flatMap((page) => (page.kind === 'source' ? [[page.file, page.path]] : [])));
  /** `ending`: `.md` for links between the Markdown versions of pages. */
  return (from: Page & { kind: 'source' }, href: string, ending = ''): string | null => {
    if (/^[a-z]+:/.test(href) || href.startsWith('#')) return href;
    const [file = '', anchor] = href.split('#');
    const target = posix.normalize(posix.join(posix.dirname(from.file), file));
    const after = anchor === undefined ? '' : `#${anchor}`;
    if (target === 'docs/openapi.json') return relativeTo(from.path, '../openapi.json');
    const path = byFile.get(target) ?? byFile.get(posix.join(target, 'README.md'));
    // A file of the source tree, which the site does not hold.
    if (path === undefined) return existing(root, target, from);
    const page = ending === '' ? path : `${path || 'index'}${ending}`;
    return `${relativeTo(from.path, page)}${after}`;
  };
}

function existing(root: string, target: string, from: Page & { kind: 'source' }): null {
  if (globSync(target.replaceAll('[', '[[]'), { cwd: root }).length > 0 || !target.endsWith('.md'))
    return null;
  throw new Error(`${from.file} links to ${target}, which does not exist`);
}
