import type { OutputKind } from '@holdfast/domain/modelAnswers';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { Adapter, ProviderRoute } from '@holdfast/domain/modelRoute';
import { optionsProblems } from '../adapterOptions.ts';
import { inputProperties } from './inputProperties.ts';
import { nearest } from './nearest.ts';
import { schemaProblems } from './schemaErrors.ts';
import type { ModelProblem } from './shapeProblems.ts';

/** What is wrong with a model whose every field is right by itself. Paths name `providers`, however it was written. */
export function modelProblems(definition: ModelDefinition): ModelProblem[] {
  return [
    ...schemaProblems(definition.input_schema),
    ...inputNames(definition).flatMap((named) => unknownInput(definition, named)),
    ...idlePrices(definition),
    ...twins(definition),
    ...weightless(definition),
    ...definition.providers.flatMap(routeProblems),
  ];
}

type Named = { path: PropertyKey[]; name: string };

/** Every place that names a property of the input. */
function inputNames({ estimate, providers }: ModelDefinition): Named[] {
  const estimates = Object.entries(estimate).flatMap(([quantity, rule]) =>
    Object.entries(typeof rule === 'object' ? rule : {})
      .filter(([key, name]) => ['input', 'width', 'height', 'size'].includes(key) && typeof name === 'string')
      .map(([key, name]) => ({ path: ['estimate', quantity, key], name: String(name) })),
  );
  return [...estimates, ...providers.flatMap(routeInputNames)];
}

function routeInputNames({ mode_from_input: mode, input }: ProviderRoute, index: number): Named[] {
  const at = ['providers', index];
  const renamed = Object.keys(input?.rename ?? {});
  return [
    ...(mode === undefined ? [] : [{ path: [...at, 'mode_from_input'], name: mode }]),
    ...renamed.map((name) => ({ path: [...at, 'input', 'rename', name], name })),
    ...(input?.omit ?? []).map((name, place) => ({ path: [...at, 'input', 'omit', place], name })),
  ];
}

function unknownInput({ input_schema: schema }: ModelDefinition, { path, name }: Named): ModelProblem[] {
  const known = inputProperties(schema);
  if (known.has(name)) return [];
  const meant = nearest(name, [...known]);
  const hint = meant === null ? '' : `; is "${meant}" meant?`;
  return [{ path, message: `"${name}" is no property of the input_schema${hint}` }];
}

/** Prices by what comes out, and the outputs that have it. */
const chargedOn = {
  per_image: ['images', 'raw'],
  per_megapixel: ['images', 'videos', 'raw'],
} as const satisfies Record<string, readonly OutputKind[]>;

function idlePrices({ price, output: { kind } }: ModelDefinition): ModelProblem[] {
  return Object.entries(chargedOn)
    .filter(([name, kinds]) => name in price && !(kinds as readonly string[]).includes(kind))
    .map(([name, kinds]) => ({
      path: ['price', name],
      message: `is never charged: the output is ${kind}, not ${kinds.join(' or ')}`,
    }));
}

function twins({ providers }: ModelDefinition): ModelProblem[] {
  const key = ({ adapter, connection, model }: ProviderRoute) => JSON.stringify([adapter, connection, model]);
  const keys = providers.map(key);
  return keys.flatMap((one, index) => {
    const first = keys.indexOf(one);
    if (first === index) return [];
    return [
      { path: ['providers', index], message: `is the same connection and model as providers.${first}` },
    ];
  });
}

function weightless({ providers }: ModelDefinition): ModelProblem[] {
  const weights = providers.flatMap(({ weight }) => weight ?? []);
  if (weights.length === 0 || weights.some((weight) => weight > 0)) return [];
  return [{ path: ['providers'], message: 'at least one weight must be above 0' }];
}

type Options = ProviderRoute['options'];

/** Whether a route sends files as parts of a form; a text: what its options must say for that. */
const takesParts: Record<Adapter, (options: Options) => true | string> = {
  openai: ({ endpoint }) =>
    endpoint === 'image_edits' || endpoint === 'transcriptions' || '`endpoint` image_edits or transcriptions',
  http: ({ body_as: as }) => as === 'form' || '`body_as` form',
  cog: () => 'another adapter',
  replicate: () => 'another adapter',
  fal: () => 'another adapter',
};

function routeProblems({ adapter, files, options }: ProviderRoute, index: number): ModelProblem[] {
  const at = ['providers', index];
  const problems = optionsProblems(adapter, options).map(({ path, message }) => ({
    path: [...at, 'options', ...path],
    message,
  }));
  const needed = files.as === 'multipart' ? takesParts[adapter](options) : true;
  if (needed === true) return problems;
  const message = `multipart needs ${needed} here; else url or data_uri`;
  return [...problems, { path: [...at, 'files', 'as'], message }];
}
