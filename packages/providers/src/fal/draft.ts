import { definitionOf, isObject } from '@holdfast/domain/inputFiles';
import type { ModelFile } from '@holdfast/domain/modelDefinition';
import { type Connection, connect } from '../connection.ts';
import { DraftError, fetchJson, type ModelDraft } from '../drafts/draft.ts';
import { draftInput, type Schema } from '../drafts/inputSchema.ts';
import { draftPrice } from './draftPrice.ts';

/** Descriptions and prices of fal have hosts of their own; any other base URL serves them itself. */
const hosts = { descriptions: 'https://fal.ai', prices: 'https://api.fal.ai' };

/** The app at fal, from its public OpenAPI document; its price too, with a key. @throws DraftError */
export async function falDraft(
  { baseUrl, apiKey }: Connection,
  connection: string,
  app: string,
): Promise<ModelDraft> {
  if (!/^[\w.-]+(\/[\w.-]+)+$/.test(app))
    throw new DraftError('an app of fal is named owner/name, or owner/name/path');
  const isFal = baseUrl === 'https://queue.fal.run';
  const descriptions = connect({ baseUrl: isFal ? hosts.descriptions : baseUrl, apiKey: null });
  const prices = connect({ baseUrl: isFal ? hosts.prices : baseUrl, apiKey }, 'Key');
  const named = `endpoint_id=${encodeURIComponent(app)}`;
  try {
    const document = await fetchJson(descriptions, `/api/openapi/queue/openapi.json?${named}`, `app ${app}`);
    const listed = apiKey === null ? null : await prices.request('GET', `/v1/models/pricing?${named}`);
    const { input, order } = inputOf(document);
    const output = outputOf(document);
    const drafted = draftInput(input, { document, isFile, order, examples: examplesOf(document, input) });
    const isClip = output.kind === 'videos' || output.kind === 'audios';
    const { isComputed, ...price } = draftPrice(
      listed?.ok === true ? listed.json : null,
      app,
      drafted,
      isClip,
    );
    return {
      source: `fal's OpenAPI document of ${app}`,
      name: app,
      description: null,
      aliases: [app],
      // A webhook reports no computing time.
      provider: { adapter: 'fal', connection, model: app, mode: isComputed ? 'poll' : 'callback' },
      input: drafted,
      ...price,
      ...('num_images' in Object(drafted.schema['properties']) && {
        estimate: { images: { input: 'num_images', default: 1 } },
      }),
      ...(output.kind === 'videos' && { timeoutS: 1800 }),
      output,
      stream: null,
    };
  } finally {
    descriptions.close();
    prices.close();
  }
}

/** The schema of the one POST that the document has. @throws DraftError */
function inputOf(document: Schema): { input: Schema; order: string[] } {
  const paths = isObject(document['paths']) ? Object.entries(document['paths']) : [];
  const posts = paths.flatMap(([, item]) => (isObject(item) && isObject(item['post']) ? [item['post']] : []));
  const input = resolved(document, at(posts[0], ['requestBody', 'content', 'application/json', 'schema']));
  if (!isObject(input)) throw new DraftError('the description has no schema of the input');
  const order = input['x-fal-order-properties'];
  return { input, order: Array.isArray(order) ? order.map(String) : [] };
}

/** Kinds by the property that has the files, in the order in which the adapter looks for them. */
const kinds: [string[], ModelFile['output']['kind']][] = [
  [['images', 'image'], 'images'],
  [['videos', 'video'], 'videos'],
  [['audios', 'audio', 'audio_file', 'audio_url'], 'audios'],
  [['files', 'file'], 'files'],
];

function outputOf(document: Schema): ModelFile['output'] {
  const paths = isObject(document['paths']) ? Object.entries(document['paths']) : [];
  const [, result] = paths.find(([path]) => path.endsWith('/requests/{request_id}')) ?? [];
  const place = ['get', 'responses', '200', 'content', 'application/json', 'schema'];
  const output = resolved(document, at(result, place));
  const properties = isObject(output) && isObject(output['properties']) ? output['properties'] : {};
  const found = kinds.find(([names]) => names.some((name) => Object.hasOwn(properties, name)));
  return { kind: found?.[1] ?? 'raw' };
}

/** The description hints at the picker of a field; a name such as `image_url` says it too. */
function isFile(name: string, { type, enum: choices, ui, _fal_ui_field: hint }: Schema): boolean {
  if (![type].flat().includes('string') || choices !== undefined) return false;
  const field = hint ?? (isObject(ui) ? ui['field'] : undefined);
  return ['image', 'video', 'audio', 'file'].includes(String(field)) || /(^|_)urls?$/.test(name);
}

function examplesOf(document: Schema, { properties }: Schema): Record<string, unknown> {
  const shown = Object.entries(isObject(properties) ? properties : {}).flatMap(([name, part]) => {
    const { examples } = Object(resolved(document, part));
    return Array.isArray(examples) && examples.length > 0 ? [[name, examples[0]]] : [];
  });
  return Object.fromEntries(shown);
}

function resolved(document: Schema, value: unknown): unknown {
  return isObject(value) && typeof value['$ref'] === 'string' ? definitionOf(document, value['$ref']) : value;
}

function at(value: unknown, path: string[]): unknown {
  return path.reduce<unknown>((inside, step) => (isObject(inside) ? inside[step] : undefined), value);
}
