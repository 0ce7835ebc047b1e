import { describe, expect, it } from '@jest/globals';
import { fieldsOf, inputWith, isAbout, rangeOf } from './schema.ts';

const kindOf = (schema: object, definitions: object = {}) =>
  fieldsOf({ properties: { one: schema }, ...definitions })[0]?.kind;

describe('a property of a model', () => {
  it.each([
    [{ type: 'string' }, 'text'],
    [{ type: ['string', 'null'] }, 'text'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'text'],
    [{ anyOf: [{ type: 'string' }, { type: 'array' }] }, 'text'],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'number'],
    [{ type: 'string', enum: ['a', 'b'] }, 'choice'],
    [{ type: 'string', format: 'file' }, 'file'],
    [{ type: 'boolean' }, 'boolean'],
    [{ type: 'number' }, 'number'],
    [{ type: ['number', 'string'] }, 'json'],
    [{ type: 'array', items: { type: 'string' } }, 'lines'],
    [{ type: 'array', items: { type: 'string', format: 'file' } }, 'files'],
    [{ type: 'array', items: { type: 'object' } }, 'json'],
    [{ type: 'object' }, 'json'],
    [{}, 'json'],
  ])('of %j is a field of the kind %s', (schema, kind) => {
    expect(kindOf(schema)).toBe(kind);
  });

  it('follows a reference, and keeps what stands beside it', () => {
    const $defs = { Size: { type: 'string', enum: ['s', 'l'], description: 'of all' } };
    const [field] = fieldsOf({ properties: { size: { $ref: '#/$defs/Size', description: 'own' } }, $defs });
    expect(field).toMatchObject({ kind: 'choice', schema: { description: 'own' } });
    expect(kindOf({ $ref: '#/$defs/Missing' }, { $defs })).toBe('json');
  });
});

describe('the fields of a model', () => {
  const schema = {
    properties: {
      seed: { type: 'integer' },
      width: { type: 'integer', 'x-order': 2 },
      prompt: { type: 'string' },
      height: { type: 'integer', 'x-order': 1 },
    },
    required: ['prompt'],
  };

  it('are the required ones, then the others by their order', () => {
    expect(fieldsOf(schema).map(({ name }) => name)).toEqual(['prompt', 'height', 'width', 'seed']);
  });

  it('give the same text for the same input, whatever was entered first', () => {
    const first = inputWith(inputWith({}, 'seed', 1, schema), 'height', 2, schema);
    const second = inputWith(inputWith({}, 'height', 2, schema), 'seed', 1, schema);
    expect(JSON.stringify(first)).toBe(JSON.stringify(second));
    expect(inputWith({ seed: 1, extra: 2 }, 'seed', undefined, schema)).toEqual({ extra: 2 });
  });

  it('are named by problems with them or with what is inside', () => {
    const problems = ['input.image', 'input.image[0]', 'input.image.url', 'input.images', 'image'];
    expect(problems.filter((one) => isAbout(one, 'image'))).toHaveLength(3);
  });

  it.each([
    [{ minimum: 1, maximum: 4 }, '1 – 4'],
    [{ minimum: 0 }, '≥ 0'],
    [{ maximum: 9 }, '≤ 9'],
    [{}, ''],
  ])('with %j say so', (bounds, shown) => {
    expect(rangeOf(bounds)).toBe(shown);
  });
});
