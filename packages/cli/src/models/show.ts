import { isNumber } from '@holdfast/domain/json';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { ProviderRoute } from '@holdfast/domain/modelRoute';
import { type PriceLine, priceLines } from '@holdfast/domain/priceLines';
import { readArguments, UsageError } from '@holdfast/kit/flags';
import { type Connection } from '@holdfast/providers/connection';
import { connectionConfig, missingSetting } from '@holdfast/providers/connectionConfig';
import type { Context } from '../command.ts';
import { table } from '../output/print.ts';
import { documentOf } from './list.ts';
import { priceText, whyNotOffered } from './offers.ts';
import { findModel } from './source.ts';

export async function modelsShow(args: string[], context: Context): Promise<number> {
  const { slug, folder, json } = read(args);
  const model = await findModel(slug, folder, context);
  if (model === null) return 1;
  const connections = connectionConfig(context.providerEnvironment());
  const why = whyNotOffered(model, connections);
  const lines = [
    ...table([
      ['offered', why === null ? 'yes' : `no: ${why}`],
      ...('source' in model ? [['source', model.source]] : []),
      ...facts(model.definition),
    ]),
    ...model.definition.providers.flatMap((route, index) => describeRoute(route, index, connections)),
    'input',
    ...table(describeInput(model.definition.input_schema)).map((line) => `  ${line}`),
  ];
  if (json) context.print(JSON.stringify(documentOf(model, connections)));
  else for (const line of [model.definition.slug, ...lines]) context.print(line);
  return 0;
}

function read(args: string[]) {
  const options = { models: { type: 'string' }, json: { type: 'boolean', default: false } } as const;
  const { positionals, values } = readArguments(args, options);
  const [slug, ...rest] = positionals;
  if (slug === undefined || rest.length > 0) throw new UsageError('holdfast models show takes one slug');
  return { slug, folder: values.models, json: values.json };
}

function facts(definition: ModelDefinition): string[][] {
  const { display_name: name, description, estimate, timeout_s: timeoutS, limits, output } = definition;
  const { kind, ...bounds } = output;
  return [
    ['name', name ?? ''],
    ['about', (description ?? '').replaceAll(/\s+/g, ' ').trim()],
    ['price', priceText(definition)],
    ...priceLines(definition.price).flatMap(rowFacts),
    ['provider price', definition.provider_price ? priceText({ price: definition.provider_price }) : ''],
    ['missing usage', definition.missing_usage === 'free' ? 'costs nothing' : ''],
    ['estimate', pairs(estimate)],
    ['timeout', `${timeoutS} s`],
    ['limits', pairs(limits)],
    ['output', `${kind} (${pairs(bounds)})`],
    ['usage', pairs(definition.usage ?? {})],
    ['errors', definition.errors.map(ruleText).join('; ')],
  ].filter(([, value]) => value !== '');
}

/** A line for each row of a table of prices. */
function rowFacts({ price }: PriceLine): string[][] {
  if (typeof price === 'string') return [];
  return price.map(({ when, price: amount }) => {
    const inputs = Object.entries(when).map(([name, value]) => `${name} ${value}`);
    return ['', `${amount} for ${inputs.join(', ') || 'everything else'}`];
  });
}

function describeRoute(
  { adapter, connection, model, options, ...rest }: ProviderRoute,
  index: number,
  connections: Record<string, Connection>,
): string[] {
  const missing = missingSetting({ adapter, connection }, connections);
  const at =
    missing === null ? withoutCredentials(connections[connection]?.baseUrl) : `${missing} is not set`;
  const rows = [...Object.entries(rest), ['options', options] as const].map(([name, value]) => [
    name,
    typeof value === 'object' ? pairs(value) : String(value),
  ]);
  return [
    `provider ${index + 1}: ${model} at ${connection} by ${adapter} (${at})`,
    ...table(rows.filter(([, value]) => value !== '')).map((line) => `  ${line}`),
  ];
}

/** A base URL may carry a user name and password. */
function withoutCredentials(baseUrl: string | undefined): string {
  if (baseUrl === undefined) return '';
  const url = new URL(baseUrl);
  if (url.username === '' && url.password === '') return baseUrl;
  url.username = '***';
  url.password = '';
  return url.href;
}

type ErrorRule = ModelDefinition['errors'][number];

function ruleText({ match, when, code }: ErrorRule): string {
  const cause = when === undefined ? match : `${when.at} is ${JSON.stringify(when.equals)}`;
  return `${cause} → ${code ?? 'unchanged'}`;
}

/** `seconds 5, images {"input":"n","default":1}` */
function pairs(object: object): string {
  return Object.entries(object)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ');
}

type Schema = Record<string, unknown>;

/** The properties of an input, a row each: name (`*`: required), type, description. */
function describeInput(schema: Schema): string[][] {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(isObject(schema['properties']) ? schema['properties'] : {}).map(([name, part]) => {
    const described = isObject(part) ? part : {};
    const { default: defaultValue, description } = described;
    const text = [
      typeof description === 'string' ? description.replaceAll(/\s+/g, ' ').trim() : '',
      defaultValue === undefined ? '' : `Default ${JSON.stringify(defaultValue)}.`,
    ];
    return [
      `${name}${required.includes(name) ? '*' : ''}`,
      kindOf(described),
      text.filter(Boolean).join(' '),
    ];
  });
}

function kindOf(schema: Schema): string {
  const { enum: choices, const: only, type, format, items, anyOf, oneOf } = schema;
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(choices)) return choices.map((one) => String(one)).join(' | ');
  const branches = [anyOf, oneOf].flat().filter(isObject);
  if (branches.length > 0) return branches.map(kindOf).join(' or ');
  if (type === 'array') return `list of ${isObject(items) ? kindOf(items) : 'anything'}`;
  const kind = format === 'file' ? 'file' : [type ?? 'anything'].flat().map(String).join(' or ');
  return `${kind}${rangeOf(schema)}`;
}

const ranges = [
  ['minimum', 'maximum', ''],
  ['minLength', 'maxLength', ' characters'],
] as const;

function rangeOf(schema: Schema): string {
  return ranges
    .filter(([least, most]) => schema[least] !== undefined || schema[most] !== undefined)
    .map(([least, most, unit]) => ` ${bound(schema[least])}..${bound(schema[most])}${unit}`)
    .join('');
}

const bound = (value: unknown) => (isNumber(value) ? String(value) : '');

const isObject = (value: unknown): value is Schema =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
