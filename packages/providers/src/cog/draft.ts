import { definitionOf, isObject } from '@holdfast/domain/inputFiles';
import type { ModelFile } from '@holdfast/domain/modelDefinition';
import { type Connection, connect } from '../connection.ts';
import { DraftError, fetchJson, type ModelDraft } from '../drafts/draft.ts';
import { type DraftInput, draftInput, type Schema } from '../drafts/inputSchema.ts';

type Output = ModelFile['output'];

/** The model of one container, from its own OpenAPI document. @throws DraftError */
export async function cogDraft(connection: Connection, name: string): Promise<ModelDraft> {
  const http = connect(connection);
  try {
    const document = await fetchJson(http, '/openapi.json', `description of the container`);
    const { info } = document;
    return {
      ...schemasOf(document, {}),
      source: `the OpenAPI document of ${new URL(connection.baseUrl).host}`,
      name,
      description: isObject(info) && typeof info['description'] === 'string' ? info['description'] : null,
      aliases: [],
      provider: { adapter: 'cog', connection: name, model: name, options: { path: '' } },
      price: null,
      priceNote: 'Set what a run costs: a container has no price.',
    };
  } finally {
    http.close();
  }
}

type Described = { input: DraftInput; output: Output; outputNote?: string; stream: ModelDraft['stream'] };

/** Input and output of a Cog document, which Replicate shows too; `example` is one run. @throws DraftError */
export function schemasOf(document: unknown, example: { input?: unknown; output?: unknown }): Described {
  const input = definitionOf(document, '#/components/schemas/Input');
  if (!isObject(input)) throw new DraftError('the description has no schema of the input');
  const output = definitionOf(document, '#/components/schemas/Output');
  return {
    input: draftInput(input, {
      document,
      isFile: (_name, { type, format }) => format === 'uri' && [type].flat().includes('string'),
      ...(isObject(example.input) && { examples: example.input }),
    }),
    ...outputOf(isObject(output) ? output : {}, example.output),
  };
}

function outputOf(schema: Schema, example: unknown): Omit<Described, 'input'> {
  const { type, items } = schema;
  const isList = type === 'array' && isObject(items);
  const one = isList ? items : schema;
  if (one['format'] === 'uri') {
    const kind = kindOf(example);
    return {
      output: { kind, ...(!isList && { max_files: 1 }) },
      ...(kind === 'files' && {
        outputNote: 'Files of any type: write images, videos or audios if all are.',
      }),
      stream: null,
    };
  }
  const isIterator = schema['x-cog-array-type'] === 'iterator' && one['type'] === 'string';
  if (isIterator && schema['x-cog-array-display'] === 'concatenate')
    return { output: { kind: 'text' }, stream: 'text' };
  return { output: { kind: type === 'string' ? 'text' : 'raw' }, stream: null };
}

const kinds: [RegExp, Output['kind']][] = [
  [/\.(png|jpe?g|webp|gif|avif)$/i, 'images'],
  [/\.(mp4|webm|mov|mkv)$/i, 'videos'],
  [/\.(mp3|wav|flac|ogg|m4a|opus)$/i, 'audios'],
];

/** By the names of the files that a run made. */
function kindOf(example: unknown): Output['kind'] {
  const urls = [example].flat().filter((one) => typeof one === 'string' && URL.canParse(one));
  const paths = urls.map((url) => new URL(String(url)).pathname);
  const found = kinds.find(([ending]) => paths.length > 0 && paths.every((path) => ending.test(path)));
  return found?.[1] ?? 'files';
}
