import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = resolve(import.meta.dirname, '../..');

type Sample = { label: string; source: string };
type Operation = { operationId: string; 'x-codeSamples': Sample[] };
const document = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};
const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
const sourceOf = (operation: Operation, label: string) =>
  operation['x-codeSamples'].find((sample) => sample.label === label)?.source;

describe('the samples of the API reference', () => {
  it('show curl for every operation, with its URL and key from the environment', () => {
    for (const operation of operations)
      expect(sourceOf(operation, 'curl')).toMatch(/^export HOLDFAST_URL=.*\ncurl "\$HOLDFAST_URL\/v1\//);
  });

  it('call methods that the TypeScript SDK has', async () => {
    const { Holdfast } = (await import(join(root, 'sdk/typescript/src/index.ts'))) as {
      Holdfast: new (options: object) => object;
    };
    const client = new Holdfast({ baseUrl: 'http://127.0.0.1:1', apiKey: 'sk_test' });
    const calls = operations.flatMap((operation) => {
      const [, path] = /client\.([\w.]+)\(/.exec(sourceOf(operation, 'TypeScript') ?? '') ?? [];
      return path === undefined ? [] : [path];
    });
    const typeOf = (path: string) =>
      typeof path.split('.').reduce((value: object, name) => value[name as keyof object], client);
    expect(calls.length).toBeGreaterThan(30);
    expect(calls.filter((path) => typeOf(path) !== 'function')).toEqual([]);
  });
});
