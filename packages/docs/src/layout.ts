import { errorCodes } from '@holdfast/domain/errors';
import { type Html, html } from '@holdfast/kit/html';
import type { Heading } from './markdown.ts';
import { type Page, relativeTo } from './pages.ts';

export type Content = { title: string; description: string; body: Html; headings: readonly Heading[] };

/** A whole page of the site: head, navigation, content. `assets`: the folder of style sheet and scripts. */
export function layout(page: Page, content: Content, pages: readonly Page[], assets: string): string {
  const to = (path: string) => relativeTo(page.path, path);
  const listed = pages.filter(({ parent }) => parent === null);
  const title = page.path === '' ? 'Holdfast documentation' : `${content.title} · Holdfast`;
  return html`<!doctype html>
<html lang="en" data-root="${to('')}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${content.description}">
<link rel="icon" href="${to(`${assets}/icon.svg`)}" type="image/svg+xml">
<link rel="stylesheet" href="${to(`${assets}/site.css`)}">
<script src="${to(`${assets}/theme.js`)}"></script>
<script type="module" src="${to(`${assets}/site.js`)}"></script>
${page.kind === 'source' && html`<link rel="alternate" type="text/markdown" href="${to(`${page.path || 'index'}.md`)}">`}
${page.kind === 'catalogue' && html`<script type="module" src="${to(`${assets}/catalogue.js`)}"></script>`}
${page.kind === 'reference' && html`<script type="module" src="${to(`${assets}/reference.js`)}"></script>`}
</head>
<body class="${page.kind}">
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<button class="menu" type="button" aria-expanded="false" aria-controls="navigation" aria-label="Navigation"></button>
<a class="brand" href="${to('')}">Holdfast</a>
<nav aria-label="Main">${topLinks(page, to)}</nav>
<button class="search" type="button"><span>Search</span> <kbd>/</kbd></button>
<button class="theme" type="button" aria-label="Change between light and dark"></button>
</header>
<nav id="navigation" aria-label="Documentation">${sectionsOf(listed).map(([name, inside]) => navigationSection(name, inside, page, to))}</nav>
${page.kind === 'reference' ? referenceMain() : articleMain(page, content, listed, to)}
<dialog class="finder" aria-label="Search the documentation"><form method="dialog">
<input type="search" aria-label="Search" placeholder="Search the documentation" autocomplete="off" spellcheck="false"></form>
<ol></ol></dialog>
</body>
</html>
`.markup;
}

const isWithin = (page: Page, path: string) => page.path === path || page.path.startsWith(`${path}/`);

function topLinks(page: Page, to: To): Html[] {
  const links = [
    { path: 'reference', label: 'API' },
    { path: 'models', label: 'Models' },
    { path: 'operate', label: 'Operate' },
  ];
  return links.map(
    ({ path, label }) =>
      html`<a href="${to(path)}"${isWithin(page, path) && html` aria-current="true"`}>${label}</a>`,
  );
}

function sectionsOf(listed: readonly Page[]): [string, Page[]][] {
  return [...Map.groupBy(listed, ({ section }) => section)];
}

type To = (path: string) => string;

function navigationSection(name: string, inside: Page[], page: Page, to: To): Html {
  const items = inside.map(
    ({ path, label }) =>
      html`<li><a href="${to(path)}"${isWithin(page, path) && html` aria-current="${path === page.path ? 'page' : 'true'}"`}>${label}</a></li>`,
  );
  return html`<p>${name}</p><ul>${items}</ul>`;
}

function referenceMain(): Html {
  return html`<div id="content"><div id="reference"><p class="loading">Loading the reference …</p>
<noscript>The reference needs JavaScript. The OpenAPI document is at <a href="../openapi.json">openapi.json</a>.</noscript></div></div>`;
}

function articleMain(page: Page, content: Content, listed: readonly Page[], to: To): Html {
  const outline = content.headings.filter(({ level }) => level === 2);
  const index = listed.findIndex(({ path }) => path === page.path);
  const previous = index > 0 ? listed[index - 1] : undefined;
  const next = index >= 0 ? listed[index + 1] : undefined;
  return html`<main id="content"><article>
${page.code ? errorFacts(page.code, to) : page.path !== '' && trail(page, listed, to)}
${content.body}
<footer>
<nav class="neighbours" aria-label="Previous and next page">
${previous && html`<a rel="prev" href="${to(previous.path)}"><small>Previous</small>${previous.label}</a>`}
${next && html`<a rel="next" href="${to(next.path)}"><small>Next</small>${next.label}</a>`}
</nav>
${page.kind === 'source' && html`<p><a href="${to(`${page.path || 'index'}.md`)}">This page as Markdown</a></p>`}
</footer>
</article>
${outline.length > 1 && html`<aside aria-label="On this page"><p>On this page</p><ul>${outline.map(({ text, anchor }) => html`<li><a href="#${anchor}">${text}</a></li>`)}</ul></aside>`}
</main>`;
}

function trail({ section, parent }: Page, listed: readonly Page[], to: To): Html {
  const above = listed.find(({ path }) => path === parent);
  return html`<p class="trail">${section}${above && html` › <a href="${to(above.path)}">${above.label}</a>`}</p>`;
}

function errorFacts(code: keyof typeof errorCodes, to: To): Html {
  const { status, retryable } = errorCodes[code];
  return html`<p class="facts"><a href="${to('errors')}">Errors</a> <span>HTTP ${status}</span>
<span class="${retryable ? 'yes' : 'no'}">${retryable ? 'May be retried' : 'Do not retry'}</span></p>`;
}
