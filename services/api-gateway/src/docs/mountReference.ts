import { readFileSync } from 'node:fs';
import type { Express } from 'express';
import type { Endpoint } from '../http/endpoint.ts';
import { createApiDocument } from '../openapi/document.ts';
import { renderPage } from './page.ts';

/** Nothing but our own style sheet: the page has no script, and nobody may frame it. */
const pagePolicy =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Serves /openapi.json and, made from it, /docs; both without a key. */
export function mountReference(app: Express, endpoints: readonly Endpoint[]): void {
  let document: ReturnType<typeof createApiDocument> | null = null;
  let page: string | null = null;
  const read = () => (document ??= createApiDocument(endpoints));
  const style = readFileSync(new URL('style.css', import.meta.url), 'utf8');

  app.get('/openapi.json', (_request, response) => {
    response.set('Access-Control-Allow-Origin', '*').json(read());
  });
  app.get('/docs', (_request, response) => {
    page ??= renderPage(read());
    response.set('Content-Security-Policy', pagePolicy).type('html').send(page);
  });
  app.get('/docs/style.css', (_request, response) => {
    response.set('Cache-Control', 'public, max-age=3600').type('css').send(style);
  });
}
