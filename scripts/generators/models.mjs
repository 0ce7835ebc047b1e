import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { definitionOf, modelSchema } from '../../packages/providers/src/catalogue/modelSchema.ts';
import { root } from '../child.mjs';

const schema = modelSchema();
writeFileSync(path.join(root, 'docs/model.schema.json'), `${JSON.stringify(schema, null, 2)}\n`);
// The console completes what operators write by it.
writeFileSync(
  path.join(root, 'packages/console/src/generated/modelSchema.json'),
  `${JSON.stringify(schema)}\n`,
);

/** The type of a value, in words. */
function kindOf({ type, enum: choices, anyOf, items, additionalProperties }) {
  if (choices?.includes('INTERNAL_ERROR')) return 'one of the [error codes](../errors.md)';
  if (choices) return choices.map((one) => `\`${one}\``).join(', ');
  if (anyOf) return anyOf.map(kindOf).join(' or ');
  if (type === 'array') return `list of ${kindOf(items)}${items.enum ? '' : 's'}`;
  if (type === 'object' && additionalProperties?.type === 'string') return 'mapping of names to names';
  return { object: 'mapping', integer: 'integer', number: 'number', boolean: 'true or false' }[type] ?? type;
}

function presetOf({ default: preset }) {
  if (preset === undefined || (typeof preset === 'object' && Object.keys(preset).length === 0)) return '';
  return `\`${JSON.stringify(preset)}\``;
}

const resolved = (node) => ({ ...definitionOf(schema, node), ...node });
const branchesOf = (node) => [node, ...(node.items ? [node.items] : []), ...(node.anyOf ?? [])].map(resolved);

/** Its fields are those of `price`. */
const isRepeated = (name) => name === 'provider_price';

/** A row for each field below a node, each followed by the rows below it. */
function rowsOf(node, at) {
  return branchesOf(node).flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties).flatMap(([name, part]) => {
      const { description } = part;
      const place = at === '' ? name : `${at}.${name}`;
      if (!description) throw new Error(`${place} of a model has no description`);
      const star = required.includes(name) && part.default === undefined ? '*' : '';
      const kind = isRepeated(name) ? 'as `price`' : kindOf(resolved(part));
      const cells = [`\`${place}\`${star}`, kind, presetOf(part), description].join(' | ');
      const row = `| ${cells.replaceAll(/<(\w+)>/g, '\\<$1\\>')} |`;
      return isRepeated(name) ? [row] : [row, ...rowsOf(part, place)];
    }),
  );
}

const head = ['| Field | Type | Default | Meaning |', '| --- | --- | --- | --- |'];
const table = (node) => [...head, ...rowsOf(node, '')].join('\n');

/** A node without its fields, which are described elsewhere. */
const bare = ({ properties: _below, allOf: _definition, items, ...node }) => ({
  ...node,
  ...(items && { items: { type: 'provider' } }),
});

/** The fields of a model, then those of its provider. */
function tables() {
  const { properties } = schema;
  const apart = ['provider', 'providers', 'input_schema'];
  const withoutParts = ({ properties: all = {} }, isApart) =>
    Object.fromEntries(Object.entries(all).map(([name, node]) => [name, isApart(name) ? bare(node) : node]));
  const openai = { ...properties.openai, properties: withoutParts(properties.openai, () => true) };
  const tops = withoutParts({ properties: { ...properties, openai } }, (name) => apart.includes(name));
  const model = { ...schema, properties: tops };
  return `## Model fields\n\n${table(model)}\n\n## Provider fields\n\n${table(resolved(properties.provider))}`;
}

const page = path.join(root, 'docs/models/fields.md');
const [before, , after] = readFileSync(page, 'utf8').split(/<!-- (?:fields|end of fields) -->/);
writeFileSync(page, `${before}<!-- fields -->\n\n${tables()}\n\n<!-- end of fields -->${after}`);
