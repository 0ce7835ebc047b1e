import { readFileSync } from 'node:fs';
import { errorCodes } from '@holdfast/domain/errors';
import type { Express } from 'express';
import type { Endpoint } from '../http/endpoint.ts';
import type { ApiDocument } from '../openapi/document.ts';
import { type ErrorRow, errorTable } from '../openapi/errorTable.ts';
import { type Operation, operationsOf } from '../openapi/operations.ts';
import { overview } from '../openapi/overview.ts';
import { type Html, html, prose } from './html.ts';
import { methodBadge, operationSection } from './operationSection.ts';

/** Allows only our style sheet: no script, no framing. */
const pagePolicy =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Serves /openapi.json and /docs, which is generated from it; both without a key. */
export function mountReference(app: Express, endpoints: readonly Endpoint[]): void {
  let document: Promise<ApiDocument> | null = null;
  let page: string | null = null;
  const read = () => (document ??= makeDocument(endpoints));
  const style = readFileSync(new URL('style.css', import.meta.url), 'utf8');

  app.get('/openapi.json', async (_request, response) => {
    response.set('Access-Control-Allow-Origin', '*').json(await read());
  });
  app.get('/docs', async (_request, response) => {
    page ??= renderPage(await read());
    response.set('Content-Security-Policy', pagePolicy).type('html').send(page);
  });
  // Stable: errors carry these URLs. Relative, because a proxy may serve the API below a path.
  app.get('/docs/errors/:code', (request, response, next) => {
    const { code } = request.params;
    if (Object.hasOwn(errorCodes, code)) response.redirect(302, `../../docs#${code}`);
    else next();
  });
  app.get('/docs/style.css', (_request, response) => {
    response.set('Cache-Control', 'public, max-age=3600').type('css').send(style);
  });
}

/** Loads the generator when a client first asks for the document. */
async function makeDocument(endpoints: readonly Endpoint[]): Promise<ApiDocument> {
  const { createApiDocument } = await import('../openapi/document.ts');
  return createApiDocument(endpoints);
}

/** The OpenAPI document as one HTML page. */
export function renderPage(document: ApiDocument): string {
  const byTag = Map.groupBy(operationsOf(document), ({ operation }) => operation.tags?.[0] ?? 'Other');
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${document.info.title}</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<nav aria-label="Reference">
<p class="brand"><a href="#top">Holdfast</a></p>
<ul>${overview.map(({ heading }) => html`<li><a href="#${anchor(heading)}">${heading}</a></li>`)}</ul>
${[...byTag].map(([tag, operations]) => tagLinks(tag, operations))}
<p class="download"><a href="/openapi.json">openapi.json</a></p>
</nav>
<main id="top">
<header>
<h1>${document.info.title}</h1>
<p class="lead">Run AI models asynchronously behind one API. Version ${document.info.version}.</p>
</header>
${overview.map(overviewSection)}
${[...byTag].map(([tag, operations]) => tagSection(document, tag, operations))}
</main>
</body>
</html>`;
  return page.markup;
}

function overviewSection({ heading, paragraphs }: (typeof overview)[number]): Html {
  return html`<section class="overview" id="${anchor(heading)}">
<h2>${heading}</h2>
${paragraphs.map((paragraph) => html`<p>${prose(paragraph)}</p>`)}
${heading === 'Errors' && html`<dl class="fields">${errorTable.map(errorEntry)}</dl>`}
</section>`;
}

function errorEntry({ code, status, retryable, advice }: ErrorRow): Html {
  return html`<div id="${code}"><dt><code>${code}</code> <span class="type">${status}${retryable && ' · retryable'}</span></dt><dd>${prose(advice)}</dd></div>`;
}

function tagLinks(tag: string, operations: Operation[]): Html {
  const links = operations.map(
    (item) =>
      html`<li><a href="#${item.operation.operationId}">${methodBadge(item)} <span>${prose(item.operation.summary ?? '')}</span></a></li>`,
  );
  return html`<h2><a href="#${anchor(tag)}-reference">${tag}</a></h2><ul>${links}</ul>`;
}

function tagSection(document: ApiDocument, tag: string, operations: Operation[]): Html {
  return html`<div class="tag" id="${anchor(tag)}-reference">
<h2>${tag}</h2>
${operations.map((item) => operationSection(document, item))}
</div>`;
}

function anchor(heading: string): string {
  return heading.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}
