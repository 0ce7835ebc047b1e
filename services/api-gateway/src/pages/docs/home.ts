import { html } from '@holdfast/kit/html';
import type { Express } from 'express';
import type { Endpoint } from '../../context/endpoint.ts';
import { stateOf } from '../../http/requestState.ts';
import { mountDocument } from '../openapi/mountDocument.ts';
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
  // Its generator is loaded with the first request.
  const create = async () => (await import('../openapi/document.ts')).createApiDocument(endpoints);
  mountDocument(app, create, { 'Access-Control-Allow-Origin': '*' });
  // Where language models look for it (llmstxt.org); its links are relative to /docs/.
  app.get('/llms.txt', (_request, response) => response.redirect(302, 'docs/llms.txt'));
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
