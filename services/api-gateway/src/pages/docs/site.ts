import { readFile, stat } from 'node:fs/promises';
import { extname, join, normalize, resolve } from 'node:path';
import { errorCodes } from '@holdfast/domain/errors';
import { html } from '@holdfast/kit/html';
import type { Express, Request, Response } from 'express';
import { sendPlainPage } from './plainPage.ts';

/** Where packages/docs builds the site, and where the image holds it. */
export const siteFolder = resolve(import.meta.dirname, '../../../../../packages/docs/site');
const noPage = '404.html';

const policy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data: blob:",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
};

const policyText = (directives: Record<string, string>) =>
  Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ');

const pagePolicy = policyText(policy);
/** Scalar, which draws the reference, sets styles of elements and adds style sheets while it runs. */
const referencePolicy = policyText({ ...policy, 'style-src': "'self' 'unsafe-inline'" });

/** Serves the documentation below /docs, without a key. */
export function mountSite(app: Express, folder: string): void {
  app.get('/docs', (request, response, next) => {
    // Links of the pages are relative to /docs/. Relative itself, because a proxy may serve the API below a path.
    if (request.path === '/docs') response.redirect(302, 'docs/');
    else next();
  });
  app.get('/docs/*path', async (request, response, next) => {
    const name = await fileOf(folder, request.path.slice('/docs/'.length));
    // Below a slash its relative links would lead elsewhere.
    if (name !== null && request.path.endsWith('/'))
      response.redirect(302, `../${request.path.split('/').at(-2)}`);
    else if (name !== null) sendFile(request, response, folder, name);
    else if (await isMissing(folder)) sendNotBuilt(request, response);
    else if (request.accepts(['json', 'html']) === 'html') await sendNoPage(request, response, folder);
    else next();
  });
  app.get('/docs/', async (request, response) => {
    if (await isMissing(folder)) sendNotBuilt(request, response);
    else sendFile(request, response, folder, 'index.html');
  });
}

/** The file of a path below /docs/: of a page, of a model, or the path itself. */
async function fileOf(folder: string, path: string): Promise<string | null> {
  const name = normalize(decoded(path) ?? '..').replace(/\/$/, '');
  if (name.startsWith('..') || name.includes('\0') || name.endsWith('.gz')) return null;
  const candidates = [name, `${name}.html`, ...(name.startsWith('models/') ? ['models/model.html'] : [])];
  for (const candidate of candidates) if (await isFile(join(folder, candidate))) return candidate;
  return null;
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}

const isFile = async (path: string) => (await stat(path).catch(() => null))?.isFile() ?? false;
const isMissing = async (folder: string) => !(await isFile(join(folder, noPage)));

function sendFile(request: Request, response: Response, root: string, name: string): void {
  const isUnchanging = name.startsWith('assets/');
  const isReference = name === 'reference.html';
  response.vary('Accept-Encoding').type(name.endsWith('.md') ? 'text/markdown' : extname(name));
  response.set({
    'Content-Security-Policy': isReference ? referencePolicy : pagePolicy,
    'Cache-Control': isUnchanging ? 'public, max-age=31536000, immutable' : 'no-cache',
  });
  const isCompressed = request.acceptsEncodings('gzip') === 'gzip';
  if (isCompressed) response.set('Content-Encoding', 'gzip');
  response.sendFile(isCompressed ? `${name}.gz` : name, { root, cacheControl: false, dotfiles: 'allow' });
}

/** In a clone the site is built after the services are ready; an image holds it. The page loads itself again until then. */
function sendNotBuilt({ path }: Request, response: Response): void {
  const code = path.split('/').at(-1) ?? '';
  const known = Object.hasOwn(errorCodes, code) ? errorCodes[code as keyof typeof errorCodes] : null;
  response.status(503).set({ 'Cache-Control': 'no-store', 'Retry-After': '5', Refresh: '1' });
  const title = 'The documentation is being built';
  const body = html`<h1>${title}</h1>
<p><progress aria-label="${title}"></progress></p>
${known && html`<p><code>${code}</code>: HTTP ${known.status}, ${known.retryable ? 'may be retried' : 'do not retry'}.</p>`}
<p>This takes some seconds after the first start. The page then appears by itself; if it does not, the terminal of <code>npm start</code>
says why. The OpenAPI document is already at <code>/openapi.json</code>.</p>`;
  sendPlainPage(response, title, body);
}

/** For browsers; other clients get the JSON of a NOT_FOUND. The links of the page start at the root of the site. */
async function sendNoPage({ path }: Request, response: Response, folder: string): Promise<void> {
  const page = await readFile(join(folder, noPage), 'utf8');
  const root = '../'.repeat(path.split('/').length - 3);
  response.status(404).set({ 'Content-Security-Policy': pagePolicy, 'Cache-Control': 'no-cache' });
  response.type('html').send(page.replaceAll(/ (href|src|data-root)="(?!#)/g, `$&${root}`));
}
