import type { Express } from 'express';
import type { ApiDocument } from './document.ts';

/** Serves the OpenAPI document of the port, without a key. It is made when a client first asks for it. */
export function mountDocument(
  app: Express,
  create: () => Promise<ApiDocument>,
  headers: Record<string, string> = {},
): void {
  let document: Promise<ApiDocument> | null = null;
  app.get('/openapi.json', async (_request, response) => {
    document ??= create();
    response.set(headers).json(await document);
  });
}
