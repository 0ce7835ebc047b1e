import { createHash } from 'node:crypto';
import { html } from '@holdfast/kit/html';
import type { Express } from 'express';
import type { Endpoint } from '../http/endpoint.ts';
import { stateOf } from '../http/requestState.ts';
import type { ApiDocument } from '../openapi/document.ts';
import { version } from '../openapi/overview.ts';

const links = {
  documentation: 'docs/',
  reference: 'docs/reference',
  errors: 'docs/errors',
  openapi: 'openapi.json',
} as const;

/** Serves `GET /`, a page for browsers and JSON for other clients, and the OpenAPI document; both without a key. */
export function mountHome(app: Express, endpoints: readonly Endpoint[]): void {
  let document: Promise<ApiDocument> | null = null;
  app.get('/openapi.json', async (_request, response) => {
    document ??= makeDocument(endpoints);
    response.set('Access-Control-Allow-Origin', '*').json(await document);
  });
  app.get('/', (request, response) => {
    response.vary('Accept').set('Cache-Control', 'no-cache');
    if (request.accepts(['json', 'html']) === 'html') {
      response.set('Content-Security-Policy', homePolicy);
      response.type('html').send(homePage);
      return;
    }
    const { publicUrl } = stateOf(response);
    const urls = Object.entries(links).map(([name, path]) => [name, `${publicUrl}/${path}`]);
    response.json({ name: 'Holdfast', version, ...Object.fromEntries(urls) });
  });
}

const style =
  'body{font:16px/1.6 system-ui,sans-serif;max-width:34rem;margin:12vh auto;padding:0 1.5rem}h1{margin:0 0 .5rem}li{margin:.3rem 0}';
const styleHash = createHash('sha256').update(style).digest('base64');
const homePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'`;

const homePage = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Holdfast</title>
<style>${{ markup: style }}</style>
</head>
<body>
<main>
<h1>Holdfast</h1>
<p>This server runs AI models asynchronously behind one HTTP API. API version ${version}.</p>
<ul>
<li><a href="${links.documentation}">Documentation</a></li>
<li><a href="${links.reference}">API reference</a></li>
<li><a href="${links.errors}">Errors</a></li>
<li><a href="${links.openapi}">OpenAPI document</a></li>
</ul>
</main>
</body>
</html>
`.markup;

/** Loads the generator when a client first asks for the document. */
async function makeDocument(endpoints: readonly Endpoint[]): Promise<ApiDocument> {
  const { createApiDocument } = await import('../openapi/document.ts');
  return createApiDocument(endpoints);
}
