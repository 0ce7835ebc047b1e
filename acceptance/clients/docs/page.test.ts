import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { batchEventTypes, endpointEventTypes, eventTypes, subscribableEvents } from '@holdfast/domain/events';
import { describe, expect, it } from '@jest/globals';

const docs = resolve(import.meta.dirname, '../../../docs');
const read = (name: string) => readFileSync(resolve(docs, name), 'utf8');
const page = ['webhooks.md', ...globSync('webhooks/*.md', { cwd: docs })].map(read).join('\n');

type Schema = { properties?: Record<string, unknown> };
type Document = {
  paths: Record<string, Record<string, unknown>>;
  components: { schemas: Record<string, Schema> };
};
const document = JSON.parse(readFileSync(resolve(docs, 'openapi.json'), 'utf8')) as Document;

describe('docs/webhooks', () => {
  it('names every event type, and no other', () => {
    const named = [...page.matchAll(/`((?:execution|endpoint|batch)\.[a-z*]+)`/g)].map(([, type]) => type);
    expect(new Set(named)).toEqual(
      new Set([...eventTypes, ...endpointEventTypes, ...batchEventTypes, ...subscribableEvents]),
    );
  });

  it('names only existing calls of the API', () => {
    const calls = [...page.matchAll(/`(GET|POST|PATCH|DELETE) (\/v1\/[\w/{}-]+)/g)];
    const unknown = calls.filter(
      ([, method = '', path = '']) => !document.paths[path]?.[method.toLowerCase()],
    );
    expect(calls.length).toBeGreaterThan(10);
    expect(unknown.map(([call]) => call)).toEqual([]);
  });

  it('describes every setting of an endpoint', () => {
    const described = [...read('webhooks/endpoints.md').matchAll(/^\| `(\w+)` \|/gm)].map(
      ([, field]) => field,
    );
    const { properties = {} } = document.components.schemas['WebhookEndpointRequest'] ?? {};
    const inProse = ['url', 'description'];
    expect(new Set([...described, ...inProse])).toEqual(new Set(Object.keys(properties)));
  });
});
