import { expect, it } from '@jest/globals';
import { type SchemaNode, suggestionsAt } from './completions.ts';
import { placeOf } from './yamlPlace.ts';

const schema: SchemaNode = {
  required: ['slug'],
  properties: {
    slug: { type: 'string', description: 'Its name.' },
    active: { type: 'boolean' },
    providers: { items: { $ref: '#/definitions/provider' } },
    price: { properties: { per_run: { default: '1' } } },
    input_schema: { additionalProperties: { enum: ['any'] } },
  },
  definitions: {
    provider: {
      properties: { adapter: { anyOf: [{ enum: ['cog', 'fal'] }] }, options: {} },
      allOf: [{ then: { properties: { options: { properties: { depth: {} } } } } }],
    },
  },
};

/** The suggestions at the end of a text. */
function at(text: string): string[] | null {
  const lines = text.split('\n');
  const place = placeOf(lines.slice(0, -1), lines.at(-1) ?? '');
  return place && suggestionsAt(schema, place).map(({ label }) => label);
}

const all = ['slug', 'active', 'providers', 'price', 'input_schema'];

it.each<[string, string, string[] | null]>([
  ['the fields of a model', '', all],
  ['them after other fields', 'price:\n  per_run: "1"\nslu', all],
  ['the fields below one', 'slug: a\nprice:\n  # a comment\n\n  p', ['per_run']],
  ['the values of a switch', 'active: t', ['true', 'false']],
  ['the fields of an item', 'providers:\n  - ', ['adapter', 'options']],
  ['those of an item that has some', 'providers:\n  - adapter: cog\n    o', ['adapter', 'options']],
  ['those of a list that is not indented', 'providers:\n- adapter: cog\n  ', ['adapter', 'options']],
  ['the choices of one', 'providers:\n  - options: {}\n    adapter: ', ['cog', 'fal']],
  ['what depends on another field', 'providers:\n  - adapter: cog\n    options:\n      ', ['depth']],
  ['what any name may have', 'input_schema:\n  whatever: ', ['any']],
  ['nothing below what is not known', 'nothing:\n  ', []],
  ['nothing in a text', 'slug: a text of several wor', null],
])('suggests %s', (_title, text, expected) => {
  expect(at(text)).toEqual(expected);
});

it('describes a field by its schema, with its default', () => {
  expect(suggestionsAt(schema, { path: [], typed: '', isValue: false })[0]).toEqual({
    label: 'slug',
    kind: 'required',
    about: 'Its name.',
  });
  expect(suggestionsAt(schema, { path: ['price'], typed: '', isValue: false })[0]?.about).toBe(
    ' Default "1".',
  );
});
