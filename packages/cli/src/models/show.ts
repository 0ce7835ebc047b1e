import { parseArgs } from 'node:util';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { ProviderRoute } from '@holdfast/domain/modelRoute';
import { type Connection } from '@holdfast/providers/connection';
import { connectionConfig, missingSetting } from '@holdfast/providers/connectionConfig';
import type { Context } from '../command.ts';
import { readArguments } from '../flags.ts';
import { table } from '../output/table.ts';
import { UsageError } from '../usageError.ts';
import { describeInput } from './describeInput.ts';
import { documentOf } from './list.ts';
import { whyNotOffered } from './offer.ts';
import { findModel } from './source.ts';
import { priceText } from './wording.ts';

export async function modelsShow(args: string[], context: Context): Promise<number> {
  const { slug, folder, json } = read(args);
  const model = await findModel(slug, folder, context);
  if (model === null) return 1;
  const connections = connectionConfig(context.providerEnvironment());
  const why = whyNotOffered(model, connections);
  const lines = [
    ...table([['offered', why === null ? 'yes' : `no: ${why}`], ...facts(model.definition)]),
    ...model.definition.providers.flatMap((route, index) => describeRoute(route, index, connections)),
    'input',
    ...table(describeInput(model.definition.input_schema)).map((line) => `  ${line}`),
  ];
  if (json) context.say(JSON.stringify(documentOf(model, connections)));
  else for (const line of [model.definition.slug, ...lines]) context.say(line);
  return 0;
}

function read(args: string[]) {
  const options = { models: { type: 'string' }, json: { type: 'boolean', default: false } } as const;
  const { positionals, values } = readArguments(() => parseArgs({ args, allowPositionals: true, options }));
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
    ['estimate', pairs(estimate)],
    ['time-out', `${timeoutS} s`],
    ['limits', pairs(limits)],
    ['output', `${kind} (${pairs(bounds)})`],
    ['usage', pairs(definition.usage ?? {})],
    ['errors', definition.errors.map(({ match, code }) => `${match} → ${code ?? 'its own code'}`).join('; ')],
  ].filter(([, value]) => value !== '');
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

/** `seconds 5, images {"input":"n","default":1}` */
function pairs(object: object): string {
  return Object.entries(object)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ');
}
