import { describe, expect, it } from '@jest/globals';
import { findInputFiles, replaceInputFiles } from './inputFiles.ts';

const id = 'file_0190f0aa-1111-7222-8333-444455556666';
const other = 'file_0190f0aa-1111-7222-8333-777788889999';

const schema = {
  type: 'object',
  properties: {
    source: { type: 'string', format: 'file' },
    frames: { type: 'array', items: { $ref: '#/$defs/frame' } },
    style: { anyOf: [{ type: 'string', format: 'file' }, { type: 'number' }] },
    prompt: { type: 'string' },
  },
  $defs: { frame: { type: 'object', properties: { picture: { type: 'string', format: 'file' } } } },
};

describe('findInputFiles', () => {
  it('finds ids where the schema says nothing', () => {
    const input = { source: id, extra: { deep: [1, { x: other }] }, prompt: 'a file_ of mine' };
    expect(findInputFiles(schema, input)).toEqual([
      { path: ['source'], id },
      { path: ['extra', 'deep', 1, 'x'], id: other },
    ]);
  });

  const text = { type: 'string' };
  const file = { type: 'string', format: 'file' };
  const kinds = [{ properties: { kind: { const: 'text' }, value: text } }, { $ref: '#/$defs/byFile' }];
  it.each([
    ['a property', { properties: { a: text } }, { a: id }],
    ['a property of a few texts', { properties: { a: { enum: ['x', id] } } }, { a: id }],
    ['a property with a pattern', { properties: { a: { pattern: '^f' } } }, { a: id }],
    ['a nested property', { properties: { a: { properties: { b: text } } } }, { a: { b: id } }],
    ['an item', { properties: { a: { items: { type: ['string', 'null'] } } } }, { a: [id] }],
    ['a first item', { properties: { a: { prefixItems: [text], items: file } } }, { a: [id] }],
    ['a choice', { properties: { a: { anyOf: [text, { type: 'null' }] } } }, { a: id }],
    [
      'the branch that applies',
      { oneOf: kinds, $defs: { byFile: { properties: { kind: { enum: ['file'] }, value: file } } } },
      { kind: 'text', value: id },
    ],
    ['additional properties', { additionalProperties: text }, { a: id }],
    ['a pattern of names', { patternProperties: { '^a': text } }, { a: id }],
    ['a reference', { properties: { a: { $ref: '#/$defs/text' } }, $defs: { text } }, { a: id }],
  ])('takes an id for text in %s that the schema declares as text', (_where, one, input) => {
    expect(findInputFiles(one, input)).toEqual([]);
  });

  it.each([
    ['additional properties', { additionalProperties: file }, { a: 'file_a' }],
    ['a pattern of names', { patternProperties: { '^a': file } }, { a: 'file_a' }],
    ['an item', { properties: { a: { prefixItems: [text], items: file } } }, { a: ['file_x', 'file_a'] }],
    [
      'the branch that applies',
      { oneOf: kinds, $defs: { byFile: { properties: { kind: { enum: ['file'] }, value: file } } } },
      { kind: 'file', value: 'file_a' },
    ],
    ['a choice of a file or a text', { properties: { a: { anyOf: [text, file] } } }, { a: 'file_a' }],
    ['a free object', { properties: { a: { type: 'object' } } }, { a: { b: id } }],
    ['a property without a type', { properties: { a: { description: 'An image' } } }, { a: id }],
  ])('finds a reference in %s', (_where, one, input) => {
    expect(findInputFiles(one, input)).toHaveLength(1);
  });

  it('finds odd references where the schema expects a file, through $ref, items and anyOf', () => {
    const input = { frames: [{ picture: 'file_a' }, { picture: id }], style: 'file_b', prompt: 'file_c' };
    expect(findInputFiles(schema, input).map((file) => file.id)).toEqual(['file_a', id, 'file_b']);
  });

  it('ends on a schema that refers to itself', () => {
    expect(findInputFiles({ allOf: [{ $ref: '#/allOf/0' }] }, { a: id })).toHaveLength(1);
  });
});

describe('replaceInputFiles', () => {
  it('replaces every reference and does not change the original', () => {
    const input = { source: id, frames: [{ picture: other }], prompt: 'x' };
    const replaced = replaceInputFiles(input, findInputFiles(schema, input), (one) => `https://files/${one}`);
    expect(replaced).toEqual({
      source: `https://files/${id}`,
      frames: [{ picture: `https://files/${other}` }],
      prompt: 'x',
    });
    expect(input.source).toBe(id);
  });
});
