import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { testFolder } from '@holdfast/testkit/testFolder';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import { describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import type { oas31 } from 'zod-openapi';
import { apiKeyRequest } from '../apiKeys/keyRequest.ts';
import { endpoints } from '../app.ts';
import { createApiDocument } from '../openapi/document.ts';
import { operationsOf, requestContent, responsesOf } from '../openapi/operations.ts';
import { resolved } from '../openapi/samples.ts';
import { openTestGateway } from '../testing/testGateway.ts';
import { html } from './html.ts';
import { mountReference } from './reference.ts';

const document = createApiDocument(endpoints);
const operations = operationsOf(document);
const app = express();
mountReference(app, endpoints);

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
  it('serves document and page without a key, counted, the page with its own security policy', async () => {
    const database = await createTestDatabase();
    const gateway = await openTestGateway({
      databaseUrl: database.url,
      redisUrl: testRedisUrl(),
      folder: testFolder('files'),
    });
    await request(gateway.app).get('/openapi.json').expect(200).expect('X-RateLimit-Limit', '3000');
    const { headers } = await request(gateway.app).get('/docs').expect(200);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'self'/);
    expect(headers['x-content-type-options']).toBe('nosniff');
    await gateway.close();
    await database.drop();
  });
});

describe('the reference page', () => {
  it('lists the values that a list may have', async () => {
    const { text } = await request(app).get('/docs').expect(200);
    expect(text).toMatch(/<code>events<\/code>[^]*?Any of <code>execution\.started<\/code>/);
  });

  it('shows every endpoint, without a script', async () => {
    const { text, headers } = await request(app).get('/docs').expect(200);
    for (const { operation } of operations) expect(text).toContain(`id="${operation.operationId}"`);
    expect(text).not.toContain('<script');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(text).toContain('Requires the scope <code>executions:write</code>');
    await request(app)
      .get('/docs/style.css')
      .expect(200)
      .expect('Content-Type', /text\/css/);
  });

  it('shows CSV examples', async () => {
    const { text } = await request(app).get('/docs').expect(200);
    expect(text.match(/Response 200 as CSV/g)).toHaveLength(2);
    expect(text).toContain('model,executions,cost,input_tokens,output_tokens');
  });

  it('marks code as code, also in summaries', async () => {
    const { text } = await request(app).get('/docs').expect(200);
    expect(text).not.toContain('`');
  });

  it('escapes its values', () => {
    expect(html`<p title="${'"'}">${'<script>'}</p>`.markup).toBe('<p title="&#34;">&#60;script&#62;</p>');
  });
});
