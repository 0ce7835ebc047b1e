import { describe, expect, it } from '@jest/globals';
import { modelTypes } from './modelTypes.ts';
import type { Model } from './types.ts';

const model = (input: object, more: object = {}) =>
  ({ slug: 'm', description: '', input_schema: input, ...more }) as unknown as Model;

const inputOf = (schema: object) =>
  /input: ([\s\S]*?);\n {6}output/.exec(modelTypes([model(schema)], 'x'))?.[1]?.replaceAll(/\s+/g, ' ');

describe('the types of a model', () => {
  it.each<[object, string]>([
    [{ type: 'object' }, 'Record<string, unknown>'],
    [{ type: 'object', additionalProperties: false }, 'Record<string, never>'],
    [{ type: 'object', additionalProperties: { type: 'integer' } }, 'Record<string, number>'],
    [{ type: 'object', required: ['a'], properties: { a: { type: 'string' } } }, '{ a: string; }'],
    [{ properties: { 'a-b': { enum: ['x', 1, null] } } }, '{ "a-b"?: "x" | 1 | null; }'],
    [{ properties: { a: { type: 'string', format: 'file' } } }, '{ a?: FileInput; }'],
    [{ properties: { a: { type: ['string', 'null'] } } }, '{ a?: string | null; }'],
    [{ properties: { a: { anyOf: [{ type: 'string' }, { type: 'number' }] } } }, '{ a?: string | number; }'],
    [
      { properties: { a: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } } } },
      '{ a?: (string | null)[]; }',
    ],
    [{ properties: { a: { $ref: '#/$defs/n' } }, $defs: { n: { type: 'boolean' } } }, '{ a?: boolean; }'],
    [{ properties: { a: { const: 'x' } }, anyOf: [{ required: ['a'] }] }, '{ a?: "x"; }'],
    [{ properties: { a: {} } }, '{ a?: unknown; }'],
  ])('with the input %j have %s', (schema, type) => {
    expect(inputOf(schema)).toBe(type);
  });

  it.each([
    ['text', 'string'],
    ['audio', 'string'],
    ['json', 'unknown'],
    ['image', '{ image?: string }'],
  ])(
    'that streams %s have pieces of the type %s, and a model that does not stream has none',
    (stream, type) => {
      expect(modelTypes([model({}, { stream })], 'x')).toContain(`      delta: ${type};`);
      expect(modelTypes([model({}, { stream: null })], 'x')).not.toContain('delta');
    },
  );

  it('end where a schema refers to itself', () => {
    const node = { properties: { next: { $ref: '#' } } };
    expect(inputOf(node)).toContain('unknown');
  });

  it.each([
    ['itself twice', { properties: { left: { $ref: '#' }, right: { $ref: '#' } } }],
    [
      'ever more references',
      {
        $ref: '#/$defs/n0',
        $defs: Object.fromEntries(
          Array.from({ length: 19 }, (_, n) => {
            const next = { $ref: `#/$defs/n${n + 1}` };
            return [`n${n}`, { properties: { a: next, b: next, c: next } }];
          }),
        ),
      },
    ],
  ])('stay small where a schema refers to %s', (_what, schema) => {
    expect(modelTypes([model(schema)], 'x').length).toBeLessThan(1_000_000);
  });

  it('have files with methods in their outputs, and anything where the server has no schema', () => {
    const file = {
      type: 'object',
      required: ['file_id'],
      properties: { file_id: { type: 'string', format: 'file' } },
    };
    const output = {
      type: 'object',
      required: ['images'],
      properties: { images: { type: 'array', items: file } },
    };
    expect(modelTypes([model({}, { output_schema: output })], 'x')).toMatch(
      /images: \(OutputFile & \{\s+file_id: string;/,
    );
    expect(modelTypes([model({})], 'x')).toContain('output: Record<string, any>;');
  });

  it('cannot be ended by a text of the server', () => {
    const text = modelTypes([model({}, { description: 'a */ evil();\nb', slug: "m'; evil(" })], '*/ evil()');
    expect(text).toContain('/** a * / evil(); b */');
    expect(text).toContain('"m\'; evil(": {');
    expect(text.split('\n')[0]).toBe('// The models of * / evil(), written by: npx @holdfast/sdk types');
  });
});
