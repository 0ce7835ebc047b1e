import { describe, expect, it } from '@jest/globals';
import { withDefaults } from './inputDefaults.ts';

const schema = {
  type: 'object',
  properties: {
    prompt: { type: 'string' },
    width: { type: 'integer', default: 1024 },
    seed: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null },
    size: { $ref: '#/$defs/size' },
    style: { anyOf: [{ type: 'object', properties: { name: { default: 'oil' } } }] },
    frames: { type: 'array', items: { type: 'object', properties: { at: { default: 0 } } } },
    camera: { allOf: [{ $ref: '#/$defs/camera' }] },
  },
  $defs: {
    size: { type: 'string', default: 'large' },
    camera: {
      type: 'object',
      properties: { zoom: { default: 1 }, next: { $ref: '#/$defs/camera' } },
    },
  },
};

describe('the defaults of an input schema', () => {
  it.each([
    [{}, { width: 1024, size: 'large' }],
    [
      { width: 0, size: '', seed: null },
      { width: 0, size: '', seed: null },
    ],
    [
      { frames: [{}, { at: 3 }, 7], style: {}, camera: { next: {} } },
      {
        frames: [{ at: 0 }, { at: 3 }, 7],
        style: {},
        camera: { zoom: 1, next: { zoom: 1 } },
        width: 1024,
        size: 'large',
      },
    ],
    [
      { camera: 'x', frames: {} },
      { camera: 'x', frames: {}, width: 1024, size: 'large' },
    ],
  ])('complete %j, which stays as it was', (input, complete) => {
    const before = structuredClone(input);
    expect(withDefaults(schema, input)).toEqual(complete);
    expect(input).toEqual(before);
  });

  it('end with a schema that combines itself with itself', () => {
    const self = { allOf: [{ $ref: '#' }, { $ref: '#' }], properties: { a: { default: 1 } } };
    expect(withDefaults(self, {})).toEqual({ a: 1 });
  });

  it('leave an input alone in which nothing is missing', () => {
    const input = { width: 1, size: 'small', frames: [{ at: 1 }] };
    expect(withDefaults(schema, input)).toBe(input);
    const without = { type: 'object', properties: { a: { type: 'string' } } };
    expect(withDefaults(without, input)).toBe(input);
  });
});
