import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Holdfast } from './client.ts';
import { version } from './config.ts';

const options = { baseUrl: 'https://holdfast.example.com', apiKey: 'sk_1' };
const page = globalThis as { document?: unknown };

describe('a client', () => {
  afterEach(() => {
    delete page.document;
  });

  it.each([
    { apiKey: '' },
    { apiKey: 'sk_…' },
    { baseUrl: '' },
    { baseUrl: 'holdfast' },
    { baseUrl: 'https://me:secret@holdfast.example.com' },
    { timeout: -1 },
  ])('is refused with %j', (wrong) => {
    expect(() => new Holdfast({ ...options, ...wrong })).toThrow(TypeError);
  });

  it('with an API key is refused in a browser, unless it is allowed', () => {
    page.document = { createElement: () => ({}) };
    expect(() => new Holdfast(options)).toThrow(/browser/);
    expect(new Holdfast({ ...options, dangerouslyAllowBrowser: true })).toBeInstanceOf(Holdfast);
    expect(new Holdfast({ ...options, apiKey: 'token_1' })).toBeInstanceOf(Holdfast);
  });

  it('has the version of its package', () => {
    const manifest = readFileSync(join(import.meta.dirname, '../package.json'), 'utf8');
    expect(version).toBe((JSON.parse(manifest) as { version: string }).version);
  });
});
