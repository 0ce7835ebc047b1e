import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { colorSheet, mark } from '@holdfast/kit/brand';
import { type Html, html } from '@holdfast/kit/html';
import { layout } from './layout.ts';
import { type Rendered, renderMarkdown } from './markdown.ts';
import { linkResolver, type Page, readPages, relativeTo } from './pages.ts';
import { searchIndex } from './search.ts';

const require = createRequire(import.meta.url);
const browserFolder = join(import.meta.dirname, 'browser');
/** Shared with the API reference, which the gateway makes. */
const codeSamples = require.resolve('@holdfast/domain/codeSamples');
const stampName = 'stamp.txt';

/** The root of this repository. */
export const repository = resolve(import.meta.dirname, '../../..');

/** Where the gateway expects the site. */
export const siteFolder = resolve(import.meta.dirname, '../site');

/** Whether the folder holds the site of the present sources. */
export function isFresh(root: string, folder: string): boolean {
  const stamp = join(folder, stampName);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === sourceHash(root);
}

/** Writes the site into a folder and replaces what was there. @throws when a page links to a missing one */
export function buildSite(root: string, folder: string): { pages: number; files: number } {
  const stamp = sourceHash(root);
  const site = makeSite(root);
  const fresh = `${folder}.${process.pid}`;
  rmSync(fresh, { recursive: true, force: true });
  for (const [name, bytes] of site.files) writeWithGzip(join(fresh, name), bytes);
  writeFileSync(join(fresh, stampName), stamp);
  replaceFolder(folder, fresh);
  return { pages: site.pages, files: site.files.size };
}

/** Another build may do the same at the same time: then either result stays. */
function replaceFolder(folder: string, fresh: string): void {
  const old = `${fresh}.old`;
  try {
    if (existsSync(folder)) renameSync(folder, old);
    renameSync(fresh, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    for (const leftover of [old, fresh]) rmSync(leftover, { recursive: true, force: true });
  }
}

type Files = Map<string, string | Buffer>;

/** Every file of the site by its name. */
function makeSite(root: string): { pages: number; files: Files } {
  const pages = readPages(root);
  const files: Files = new Map();
  const assets = addAssets(files);
  const rendered = pages.map((page) => ({ page, ...renderPage(page, pages, root, files) }));
  for (const { page, title, html: body, headings, passages } of rendered) {
    const content = { title, description: describe(passages), body: { markup: body }, headings };
    files.set(`${page.path || 'index'}.html`, layout(page, content, pages, assets));
    // The page of every model, one level deeper than the list of them.
    const model = { ...page, path: 'models/model' };
    if (page.kind === 'catalogue') files.set('models/model.html', layout(model, content, pages, assets));
  }
  files.set('404.html', missingPage(pages, assets));
  files.set('search.json', searchIndex(rendered));
  addTexts(files, rendered, linkResolver(root, pages));
  return { pages: pages.length, files };
}

function renderPage(page: Page, pages: readonly Page[], root: string, files: Files): Rendered {
  if (page.kind !== 'source') return builtPage(page);
  const resolveLink = linkResolver(root, pages);
  return renderMarkdown(page.markdown, {
    link: (href) => resolveLink(page, href),
    errorPage: (code) => (page.code === code ? null : relativeTo(page.path, `errors/${code}`)),
    keepImage(svg) {
      const name = `assets/images/${hashOf(svg)}.svg`;
      files.set(name, svg);
      return relativeTo(page.path, name);
    },
  });
}

const cataloguePage: Html = html`<h1>Models</h1>
<p>What each model takes, what it costs, and a form to run it.</p>
<form id="key"><label class="enter">API key <input type="password" name="key" autocomplete="off" spellcheck="false" required></label>
<button class="enter">Show the models</button>
<p class="enter">The key stays in this tab and is sent to this server only.</p>
<p class="entered">This tab holds your API key.</p> <button class="entered" type="button" name="forget">Forget the key</button></form>
<div id="catalogue" aria-live="polite"></div>
<noscript><p>This page needs JavaScript. <code>GET /v1/models</code> returns the same.</p></noscript>`;

function builtPage({ kind, label }: Page): Rendered {
  const text =
    kind === 'reference'
      ? 'Every endpoint with its fields, errors and samples; try requests with a key of yours.'
      : 'The models of this Holdfast with input, price, estimate and sample.';
  return {
    title: label,
    html: kind === 'catalogue' ? cataloguePage.markup : '',
    headings: [],
    passages: [{ heading: label, anchor: '', text }],
  };
}

/** The gateway sends it for paths of any depth, and makes its links lead to the root from there. */
function missingPage(pages: readonly Page[], assets: string): string {
  const title = 'There is no such page';
  const body = html`<h1>${title}</h1>
<p>The page may have moved, or its address is wrong. Search for it, or go to the <a href="./">front page</a>.</p>
<p><button class="find" type="button">Search the documentation</button></p>`;
  const page: Page = {
    kind: 'missing',
    path: '404',
    label: title,
    section: 'Error 404',
    parent: null,
    code: null,
  };
  return layout(page, { title, description: '', body, headings: [] }, pages, assets);
}

/** The first sentence of a page. */
function describe([first]: readonly { text: string }[]): string {
  const [sentence = ''] = (first?.text ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .split(/(?<=[.?!]) /);
  return sentence.length > 200 ? `${sentence.slice(0, 197)} …` : sentence;
}

/** Adds style sheet, scripts and the reference, in folders whose names change with their content. */
function addAssets(files: Files): string {
  const own = new Map<string, string | Buffer>(
    globSync('*.{js,css}', { cwd: browserFolder }).map((name) => [
      name,
      readFileSync(join(browserFolder, name)),
    ]),
  );
  own.set('icon.svg', mark);
  own.set('site.css', `${colorSheet}${readFileSync(join(browserFolder, 'site.css'), 'utf8')}`);
  own.set('codeSamples.js', stripTypeScriptTypes(readFileSync(codeSamples, 'utf8')));
  own.set('minisearch.js', readFileSync(join(dirname(require.resolve('minisearch')), '../es/index.js')));
  const scalar = resolve(dirname(require.resolve('@scalar/api-reference')), '..');
  const { version } = JSON.parse(readFileSync(join(scalar, 'package.json'), 'utf8')) as { version: string };
  own.set('scalar.js', `export { createApiReference } from '../scalar-${version}/standalone.esm.js';\n`);
  const folder = `assets/${hashOf(...own.values())}`;
  for (const [name, bytes] of own) files.set(`${folder}/${name}`, bytes);
  const bundle = join(scalar, 'dist/browser');
  for (const name of globSync(['standalone.esm.js', 'chunks/*.js'], { cwd: bundle }))
    files.set(`assets/scalar-${version}/${name}`, readFileSync(join(bundle, name)));
  return folder;
}

type Read = { page: Page; title: string; passages: readonly { text: string }[] };

/** The pages as Markdown, and the index of them for language models (llmstxt.org). */
function addTexts(files: Files, read: readonly Read[], resolveLink: ReturnType<typeof linkResolver>): void {
  const lines = [
    '# Holdfast',
    '',
    '> Holdfast runs AI models asynchronously behind one HTTP API and accounts for their cost exactly.',
  ];
  let section = '';
  for (const { page, title, passages } of read) {
    if (page.kind !== 'source') continue;
    if (page.section !== section) lines.push('', `## ${page.section}`, '');
    section = page.section;
    const name = `${page.path || 'index'}.md`;
    files.set(name, withLinks(page, resolveLink));
    lines.push(`- [${title}](${name}): ${describe(passages)}`);
  }
  files.set('llms.txt', `${lines.join('\n')}\n`);
}

function withLinks(page: Page & { kind: 'source' }, resolveLink: ReturnType<typeof linkResolver>): string {
  const parts = page.markdown.split(/(^```[^]*?^```$)/m);
  const rewrite = (text: string) =>
    text.replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_all, label: string, href: string) => {
      const target = resolveLink(page, href, '.md');
      return target === null ? label : `[${label}](${target})`;
    });
  return parts.map((part) => (part.startsWith('```') ? part : rewrite(part))).join('');
}

function writeWithGzip(path: string, bytes: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}

function hashOf(...parts: (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex').slice(0, 12);
}

const sources = [
  '*.md',
  'docs/**/*.md',
  'sdk/*/README.md',
  'deploy/helm/holdfast/README.md',
  'packages/docs/package.json',
  'packages/docs/src/**',
  'packages/domain/src/{codeSamples,errors}.ts',
  'packages/domain/src/brand/**',
  'packages/kit/src/brand.ts',
];

function sourceHash(root: string): string {
  const files = globSync(sources, { cwd: root, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  return hashOf(...paths.flatMap((path) => [path.slice(root.length), readFileSync(path)]));
}
