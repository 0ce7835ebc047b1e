import { type StreamKind, streamKinds } from '@holdfast/domain/modelDefinition';
import type { OutputKind } from '@holdfast/domain/modelResponse';
import type { Adapter, ProviderRoute } from '@holdfast/domain/modelRoute';
import { nearestName } from '@holdfast/domain/nearest';
import { optionsIssues, optionsSchema } from '../adapterOptions.ts';
import { placeProblem } from '../place.ts';
import { targetProblem } from '../replicate/prediction.ts';
import { schemaProblems } from './inputSchema.ts';
import type { ModelParts } from './modelParts.ts';
import { keysAt } from './modelSchema.ts';
import { openaiInputs, openaiProblems } from './openaiRules.ts';
import { pricedInputs, priceProblems } from './priceRules.ts';
import { type ModelProblem, shapeProblems } from './problems.ts';

/** Problems across fields of a model. Paths use `providers` even where the file has `provider`. */
export function modelProblems(parts: ModelParts): ModelProblem[] {
  const schema = parts.input_schema;
  return [
    ...(schema ? schemaProblems(schema) : []),
    ...(schema ? inputNames(parts).flatMap((named) => unknownInput(schema, named)) : []),
    ...outputFilesProblems(parts),
    ...priceProblems(parts),
    ...openaiProblems(parts),
    ...duplicateRoutes(parts),
    ...zeroWeights(parts),
    ...eachRoute(parts, routeProblems),
    ...eachRoute(parts, replicateProblems),
    ...eachRoute(parts, (route, index) => kindProblems(parts, route, index)),
    ...eachRoute(parts, (route, index) => syncModeProblems(parts, route, index)),
    ...streamedKindProblems(parts),
    ...eachRoute(parts, (route, index) => streamProblems(parts, route, index)),
  ];
}

function eachRoute<Found>(
  { providers }: ModelParts,
  find: (route: ProviderRoute, index: number) => Found[],
): Found[] {
  return providers.flatMap((route, index) => (route === null ? [] : find(route, index)));
}

type Named = { path: PropertyKey[]; name: string };

function inputNames(parts: ModelParts): Named[] {
  const estimates = Object.entries(parts.estimate ?? {}).flatMap(([quantity, rule]) =>
    Object.entries(typeof rule === 'object' ? rule : {})
      .filter(([key, name]) => ['input', 'width', 'height', 'size'].includes(key) && typeof name === 'string')
      .map(([key, name]) => ({ path: ['estimate', quantity, key], name: String(name) })),
  );
  return [...estimates, ...pricedInputs(parts), ...openaiInputs(parts), ...eachRoute(parts, routeInputNames)];
}

function routeInputNames({ mode_from_input: mode, input }: ProviderRoute, index: number): Named[] {
  const at = ['providers', index];
  const renamed = Object.keys(input?.rename ?? {});
  return [
    ...(mode === undefined ? [] : [{ path: [...at, 'mode_from_input'], name: mode }]),
    ...renamed.map((name) => ({ path: [...at, 'input', 'rename', name], name })),
    ...(input?.omit ?? []).map((name, index) => ({ path: [...at, 'input', 'omit', index], name })),
  ];
}

function unknownInput(schema: Record<string, unknown>, { path, name }: Named): ModelProblem[] {
  const known = inputProperties(schema);
  if (known.has(name)) return [];
  const meant = nearestName(name, [...known]);
  const hint = meant === null ? '' : `; is "${meant}" meant?`;
  return [{ path, message: `"${name}" is not a property of the input_schema${hint}` }];
}

function outputFilesProblems({ output }: ModelParts): ModelProblem[] {
  const { kind, files } = output ?? {};
  if (files === undefined) return [];
  if (kind !== 'raw')
    return [{ path: ['output', 'files'], message: `is for raw output: all ${kind} are files` }];
  return files.flatMap((place, index) => {
    const message = placeProblem(place);
    return message === null ? [] : [{ path: ['output', 'files', index], message }];
  });
}

function duplicateRoutes(parts: ModelParts): ModelProblem[] {
  const firsts = new Map<string, number>();
  return eachRoute(parts, ({ adapter, connection, model }, index) => {
    const key = JSON.stringify([adapter, connection, model]);
    const first = firsts.get(key);
    firsts.set(key, first ?? index);
    if (first === undefined) return [];
    return [
      { path: ['providers', index], message: `is the same connection and model as providers.${first}` },
    ];
  });
}

function zeroWeights(parts: ModelParts): ModelProblem[] {
  const weights = eachRoute(parts, ({ weight }) => (weight === undefined ? [] : [weight]));
  if (weights.length === 0 || weights.some((weight) => weight > 0)) return [];
  return [{ path: ['providers'], message: 'at least one weight must be above 0' }];
}

const maxSyncS = 60;

/** Cog cancels a run when its connection drops, so a dispatcher that restarts would run it twice. */
function syncModeProblems(
  { timeout_s: timeoutS = 0 }: ModelParts,
  { adapter, mode }: ProviderRoute,
  index: number,
): ModelProblem[] {
  if (adapter !== 'cog' || mode === 'callback' || timeoutS <= maxSyncS) return [];
  const message = `${mode} is for models whose \`timeout_s\` is at most ${maxSyncS}, as Cog cancels a run when its connection breaks: leave it out, or lower that`;
  return [{ path: ['providers', index, 'mode'], message }];
}

function replicateProblems({ adapter, model, options }: ProviderRoute, index: number): ModelProblem[] {
  const message = adapter === 'replicate' ? targetProblem(model, options) : null;
  return message === null ? [] : [{ path: ['providers', index, 'model'], message }];
}

type Options = ProviderRoute['options'];

/** Whether a route can send files as parts of a form; a string is the option that would allow it. */
const takesParts: Record<Adapter, (options: Options) => true | string> = {
  openai: ({ endpoint }) =>
    endpoint === 'image_edits' || endpoint === 'transcriptions' || '`endpoint` image_edits or transcriptions',
  http: ({ body_as: as }) => as === 'form' || '`body_as` form',
  cog: () => 'another adapter',
  replicate: () => 'another adapter',
  fal: () => 'another adapter',
};

const fileKinds: OutputKind[] = ['images', 'videos', 'audios', 'files', 'raw'];

const kindsOfEndpoint: Record<string, OutputKind[]> = {
  embeddings: ['raw', 'files'],
  speech: ['audios', 'files', 'raw'],
  moderations: ['raw'],
};

function kindsOf({ adapter, options }: ProviderRoute): { option: string; kinds: OutputKind[] } | null {
  const { response_as: as } = options;
  if (adapter === 'http' && as === 'file') return { option: 'response_as', kinds: fileKinds };
  if (adapter === 'http' && as === 'text') return { option: 'response_as', kinds: ['text', 'raw'] };
  const kinds = adapter === 'openai' ? kindsOfEndpoint[String(options['endpoint'])] : undefined;
  return kinds ? { option: 'endpoint', kinds } : null;
}

function kindProblems({ output }: ModelParts, route: ProviderRoute, index: number): ModelProblem[] {
  if (!output) return [];
  const { kind } = output;
  const { option, kinds = [kind] } = kindsOf(route) ?? {};
  if (option === undefined || kinds.includes(kind)) return [];
  const message = `is ${String(route.options[option])}, which can't be the output ${kind}: set output.kind to ${kinds.join(' or ')}`;
  return [{ path: ['providers', index, 'options', option], message }];
}

const streamedKinds: Record<StreamKind, OutputKind[]> = {
  text: ['text'],
  json: fileKinds,
  audio: ['audios', 'files', 'raw'],
  image: ['images'],
};

function streamedKindProblems({ stream, output }: ModelParts): ModelProblem[] {
  const kinds = stream && output ? streamedKinds[stream] : null;
  if (!stream || !output || kinds?.includes(output.kind)) return [];
  const fitting = streamKinds.find((one) => streamedKinds[one].includes(output.kind));
  const message = `is ${stream}, but the output is ${output.kind}: set it to ${fitting}, or leave it out`;
  return [{ path: ['stream'], message }];
}

/** What a route needs, so that its output can be shown while it is made; null: it has all. */
const streamNeeds: Record<Adapter, (options: Options, kind: StreamKind) => string | null> = {
  openai({ endpoint = 'chat' }, kind) {
    if (kind === 'json') return 'another adapter';
    if (kind === 'image') return isOfImages(endpoint) ? null : '`endpoint` images or image_edits';
    if (kind === 'audio') return endpoint === 'speech' ? null : '`endpoint` speech';
    return endpoint === 'chat' || endpoint === 'responses' ? null : '`endpoint` chat or responses';
  },
  http({ stream }, kind) {
    if (!isObject(stream)) return '`stream`, by which the response shows its pieces';
    const isBytes = stream['format'] === 'bytes';
    if (kind === 'audio') return isBytes ? null : '`stream.format` bytes';
    return isBytes ? '`stream.format` sse or ndjson' : null;
  },
  cog: (_options, kind) => (kind === 'audio' ? 'another adapter' : null),
  replicate: (_options, kind) => (kind === 'text' ? null : 'another adapter'),
  fal: (_options, kind) => (kind === 'text' || kind === 'json' ? null : 'another adapter'),
};

const isOfImages = (endpoint: unknown) => endpoint === 'images' || endpoint === 'image_edits';

function streamProblems({ stream }: ModelParts, route: ProviderRoute, index: number): ModelProblem[] {
  const needed = stream ? streamNeeds[route.adapter](route.options, stream) : null;
  if (needed === null) return [];
  const message = `cannot stream ${stream}: that needs ${needed}; else leave the model's \`stream\` out`;
  return [{ path: ['providers', index, 'options'], message }];
}

function routeProblems({ adapter, files, options }: ProviderRoute, index: number): ModelProblem[] {
  const at = ['providers', index];
  const problems = shapeProblems(optionsIssues(adapter, options), {
    isGiven: (path) => valueAt(options, path) !== undefined,
    keysAt: (path) => keysAt(path, optionsSchema(adapter) ?? {}),
  }).map(({ path, message }) => ({ path: [...at, 'options', ...path], message }));
  const needed = files.as === 'multipart' ? takesParts[adapter](options) : true;
  if (needed === true) return problems;
  const message = `multipart needs ${needed} here; else url or data_uri`;
  return [...problems, { path: [...at, 'files', 'as'], message }];
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, step) =>
      at !== null && typeof at === 'object' ? (at as Record<PropertyKey, unknown>)[step] : undefined,
    value,
  );
}

type Schema = Record<string, unknown>;

export function inputProperties(schema: Schema): Set<string> {
  const found = new Set<string>();
  collect(schema, schema, found, 0);
  return found;
}

function collect(root: Schema, node: unknown, found: Set<string>, depth: number): void {
  if (!isObject(node) || depth > 16) return;
  const { properties, allOf, anyOf, oneOf, $ref } = node;
  for (const name of Object.keys(isObject(properties) ? properties : {})) found.add(name);
  const parts = [allOf, anyOf, oneOf, node['if'], node['then'], node['else']].flat();
  for (const part of parts) collect(root, part, found, depth + 1);
  if (typeof $ref === 'string' && $ref.startsWith('#/')) {
    const target = $ref
      .slice(2)
      .split('/')
      .reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), root);
    collect(root, target, found, depth + 1);
  }
}

const isObject = (value: unknown): value is Schema =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
