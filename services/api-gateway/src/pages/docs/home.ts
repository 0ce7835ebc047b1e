import { html } from '@holdfast/kit/html';
import type { Express } from 'express';
import type { Endpoint } from '../../context/endpoint.ts';
import { stateOf } from '../../http/requestState.ts';
import type { ApiDocument } from '../openapi/document.ts';
import { version } from '../openapi/overview.ts';
import { sendPlainPage } from './plainPage.ts';

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
      sendPlainPage(response, 'Holdfast', homeBody);
      return;
    }
    const { publicUrl } = stateOf(response);
    const urls = Object.entries(links).map(([name, path]) => [name, `${publicUrl}/${path}`]);
    response.json({ name: 'Holdfast', version, ...Object.fromEntries(urls) });
  });
}

const homeBody = html`<h1>Holdfast</h1>
<p>This server runs AI models asynchronously behind one HTTP API. API version ${version}.</p>
<ul>
<li><a href="${links.documentation}">Documentation</a></li>
<li><a href="${links.reference}">API reference</a></li>
<li><a href="${links.errors}">Errors</a></li>
<li><a href="${links.openapi}">OpenAPI document</a></li>
</ul>`;

/** Loads the generator when a client first asks for the document. */
async function makeDocument(endpoints: readonly Endpoint[]): Promise<ApiDocument> {
  const { createApiDocument } = await import('../openapi/document.ts');
  return createApiDocument(endpoints);
}
