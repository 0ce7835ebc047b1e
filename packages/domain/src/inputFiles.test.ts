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
  it('finds ids anywhere, marked or not', () => {
    const input = { source: id, extra: { deep: [1, { x: other }] }, prompt: 'a file_ of mine' };
    expect(findInputFiles(schema, input)).toEqual([
      { path: ['source'], id },
      { path: ['extra', 'deep', 1, 'x'], id: other },
    ]);
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
