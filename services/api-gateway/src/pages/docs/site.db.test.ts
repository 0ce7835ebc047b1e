import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { testFolder } from '@holdfast/testkit/testFolder';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import type { oas31 } from 'zod-openapi';
import { apiKeyRequest } from '../../access/keyRequest.ts';
import { endpoints } from '../../app.ts';
import { openTestGateway, startTestGateway, type TestGateway } from '../../testing/testGateway.ts';
import { createApiDocument } from '../openapi/document.ts';
import { operationsOf, requestContent, responsesOf } from '../openapi/operations.ts';
import { version } from '../openapi/overview.ts';
import { resolved } from '../openapi/samples.ts';
import { mountHome } from './home.ts';
import { mountSite } from './site.ts';

const document = createApiDocument(endpoints);
const operations = operationsOf(document);
const app = express();
mountHome(app, endpoints);

describe('the OpenAPI document', () => {
  it('has every public endpoint and no provider callback', () => {
    const described = operations
      .filter(({ isEvent }) => !isEvent)
      .map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    const served = endpoints
      .filter(({ limit }) => limit !== 'callback')
      .map(({ method, path }) => `${method} ${path}`);
    expect(described.toSorted()).toEqual(served.toSorted());
    expect(described).not.toContain('POST /v1/callbacks/{provider}/{token}');
  });

  it('has no dangling reference', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(50);
    const components = document.components as Record<string, Record<string, unknown>>;
    const broken = references.filter(([, kind = '', name = '']) => !components[kind]?.[name]);
    expect(broken.map(([text]) => text)).toEqual([]);
  });

  it('gives the errors and rate limit headers of each endpoint', () => {
    for (const { operation, isEvent } of operations) {
      if (isEvent) continue;
      const responses = responsesOf(document, operation);
      expect(responses.map(({ status }) => status)).toEqual(expect.arrayContaining(['401', '429', '500']));
      for (const { response } of responses) {
        expect(Object.keys(response.headers ?? {})).toEqual(
          expect.arrayContaining([
            'X-Request-Id',
            'X-RateLimit-Limit',
            'X-RateLimit-Remaining',
            'X-RateLimit-Reset',
          ]),
        );
      }
    }
  });

  it('bounds every list in a request', () => {
    const schemas = document.components?.schemas ?? {};
    const listsIn = (given: oas31.SchemaObject | oas31.ReferenceObject, at: string): string[] => {
      const { type, maxItems, properties = {} } = resolved(given, schemas);
      if (type === 'array' && maxItems === undefined) return [at];
      return Object.entries(properties).flatMap(([name, one]) => listsIn(one, `${at}.${name}`));
    };
    const bodies = operations.filter(({ isEvent }) => !isEvent);
    const found = bodies.flatMap(({ path, operation }) =>
      listsIn(requestContent(operation)?.schema ?? {}, path),
    );
    expect(found).toEqual([]);
  });

  it('has a valid example of a key request', () => {
    const [request] = operations.filter(({ operation }) => operation.operationId === 'createApiKey');
    const { example } = requestContent(request?.operation ?? {}) ?? {};
    expect(apiKeyRequest.parse(example)).toEqual(example);
    expect(example).not.toHaveProperty('permissions');
  });

  it('gives every JSON body an example', () => {
    const bodies = operations.flatMap(({ operation }) =>
      responsesOf(document, operation).flatMap(
        ({ response }) => response.content?.['application/json'] ?? [],
      ),
    );
    expect(bodies.length).toBeGreaterThan(50);
    expect(bodies.filter(({ example }) => example === undefined)).toEqual([]);
  });

  it.each(['/v1/balance/transactions', '/v1/usage'])('says that %s is also available as CSV', (path) => {
    const [operation] = operations.filter((one) => one.path === path);
    const [success] = responsesOf(document, operation?.operation ?? {});
    const content = success?.response.content ?? {};
    expect(Object.keys(content)).toEqual(['application/json', 'text/csv']);
    expect(content['text/csv']?.example).toMatch(/^\w+(,\w+)+\r\n[^\r]+\r\n$/);
  });

  it('describes every field of an event', () => {
    const example = operations.find(({ isEvent }) => isEvent)?.operation;
    const { data } = requestContent(example ?? {})?.example ?? {};
    expect(data).toMatchObject({ status: 'COMPLETED', result: {}, usage: {}, latency_ms: 8420 });
  });

  it('is served without a key', async () => {
    const { body } = await request(app).get('/openapi.json').expect(200);
    expect(body).toMatchObject({ openapi: '3.1.0', info: { title: 'Holdfast API' } });
  });
});

describe('the gateway', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.close());

  it('serves document and documentation without a key, counted', async () => {
    await request(gateway.app).get('/openapi.json').expect(200).expect('X-RateLimit-Limit', '3000');
    const { headers } = await request(gateway.app).get('/docs/').expect('X-RateLimit-Limit', '3000');
    // Whether the site is built yet or not.
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; /);
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('lists models without a key only if they are public, by name and price alone', async () => {
    const { servers } = gateway;
    const open = await openTestGateway(servers, { PUBLIC_MODELS: 'true' });
    const [hidden, shown] = await Promise.all(
      [gateway, open].map(({ app: served }) =>
        request(served).get('/docs/models.json').expect(200).expect('Cache-Control', 'public, max-age=60'),
      ),
    );
    await open.close();
    expect(hidden?.body).toEqual({ data: null });
    expect(shown?.headers).toHaveProperty('x-ratelimit-limit', '3000');
    const models = shown?.body.data as Record<string, unknown>[];
    expect(models.map(({ slug }) => slug)).toEqual(expect.arrayContaining(['painter', 'writer']));
    expect(models.map(({ slug }) => slug)).not.toContain('retired');
    expect(new Set(models.flatMap(Object.keys))).toEqual(
      new Set(['slug', 'display_name', 'description', 'price']),
    );
  });

  it('leads language models from /llms.txt to the index of the documentation', async () => {
    await request(gateway.app).get('/llms.txt').expect(302).expect('Location', 'docs/llms.txt');
  });

  it('shows a page at / to browsers, and JSON to other clients', async () => {
    const page = await request(gateway.app).get('/').set('Accept', 'text/html,*/*;q=0.8').expect(200);
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    expect(page.headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='/,
    );
    expect(page.headers['vary']).toContain('Accept');
    expect(page.text).toContain('<a href="docs/reference">');
    for (const accept of ['*/*', 'application/json']) {
      const { body } = await request(gateway.app).get('/').set('Accept', accept).expect(200);
      expect(body).toMatchObject({ name: 'Holdfast', version });
      expect(body.documentation).toMatch(/^http:.*\/docs\/$/);
    }
  });
});

describe('the documentation', () => {
  const folder = testFolder('site');
  const site = express();
  mountSite(site, folder);
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
    writeFileSync(join(folder, `${name}.gz`), gzipSync(text));
  };

  it('shows that it is being built, reloads until then, and has the facts of an error', async () => {
    const { text } = await request(site).get('/docs/errors/RATE_LIMITED').expect(503);
    expect(text).toContain('<code>RATE_LIMITED</code>: HTTP 429, may be retried.');
    const { text: front } = await request(site).get('/docs/').expect(503).expect('Refresh', '1');
    expect(front).toContain('<progress');
  });

  describe('when it is built', () => {
    beforeAll(() => {
      write('index.html', 'front');
      write('errors/NOT_FOUND.html', 'not found');
      write('errors/NOT_FOUND.md', '# NOT_FOUND');
      write('models/model.html', 'a model');
      write(
        '404.html',
        '<html data-root="./"><a href="#content"></a><a href="errors/NOT_FOUND">no such page</a>',
      );
      write('reference.html', 'reference');
      write('assets/1/site.js', 'export {}');
      writeFileSync(join(dirname(folder), 'secret.html'), 'secret');
    });

    it('is a page per path, with the policy that allows no inline script or style', async () => {
      await request(site).get('/docs').expect(302).expect('Location', 'docs/');
      const front = await request(site).get('/docs/').expect(200, 'front');
      expect(front.headers['content-security-policy']).not.toContain('unsafe');
      expect(front.headers['cache-control']).toBe('no-cache');
      expect(front.headers['content-encoding']).toBe('gzip');
      const etag = front.headers['etag'] ?? '';
      await request(site).get('/docs/').set('If-None-Match', etag).expect(304);
      await request(site).get('/docs/').set('Accept-Encoding', 'identity').expect(200, 'front');
      await request(site)
        .get('/docs/errors/NOT_FOUND')
        .expect('Content-Type', /^text\/html/)
        .expect(200, 'not found');
      await request(site).get('/docs/models/flux-fast').expect(200, 'a model');
      await request(site)
        .get('/docs/errors/NOT_FOUND.md')
        .expect('Content-Type', /^text\/markdown/);
    });

    it('shows browsers a page where there is none', async () => {
      const missing = (accept: string) => request(site).get('/docs/errors/NO_SUCH').set('Accept', accept);
      const { text } = await missing('text/html,*/*;q=0.8')
        .expect(404)
        .expect('Content-Type', /^text\/html/);
      expect(text).toBe(
        '<html data-root=".././"><a href="#content"></a><a href="../errors/NOT_FOUND">no such page</a>',
      );
      expect((await missing('*/*').expect(404)).text).not.toContain('no such page');
    });

    it('leads from a path that ends with a slash to the page, whose links are relative', async () => {
      const found = await request(site).get('/docs/errors/NOT_FOUND/').expect(302);
      expect(found.headers['location']).toBe('../NOT_FOUND');
      await request(site).get('/docs/errors/none/').expect(404);
    });

    it('allows styles set by scripts on the page of the reference alone', async () => {
      const { headers } = await request(site).get('/docs/reference').expect(200);
      expect(headers['content-security-policy']).toContain("style-src 'self' 'unsafe-inline'");
      expect(headers['content-security-policy']).toContain("script-src 'self';");
    });

    it('lets browsers keep files whose names change with their content', async () => {
      const { headers } = await request(site).get('/docs/assets/1/site.js').expect(200);
      expect(headers['content-type']).toMatch(/^text\/javascript/);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    });

    it.each(['errors/toString', '../secret', '%2e%2e/secret', '..%2fsecret', '%00', '%', 'index.html.gz'])(
      'has no page %s',
      async (path) => {
        const response = await request(site).get(`/docs/${path}`);
        expect(response.status).toBeGreaterThanOrEqual(400);
        expect(response.text).not.toBe('secret');
      },
    );
  });
});
