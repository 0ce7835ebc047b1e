import { z } from 'zod';
import { type OutputKind, pointer } from './modelResponse.ts';
import type { ProviderRoute } from './modelRoute.ts';

type OperationRules = {
  /** Paths of OpenAI's API, as its clients call them. */
  routes: readonly string[];
  /** Outputs that it can read. */
  kinds: readonly OutputKind[];
  /** Fields of its requests, and the names that models have for them. */
  fields: Readonly<Record<string, readonly string[]>>;
};

/** Groups of OpenAI's endpoints that the same model serves. */
export const openaiOperations = {
  chat: {
    routes: ['chat/completions', 'completions', 'responses'],
    kinds: ['text', 'raw'],
    fields: {
      messages: [],
      prompt: ['input', 'text'],
      system: ['system_prompt'],
      max_tokens: ['max_completion_tokens', 'max_output_tokens', 'max_new_tokens'],
      stop: [],
    },
  },
  images: {
    routes: ['images/generations', 'images/edits', 'images/variations'],
    kinds: ['images', 'files', 'raw'],
    fields: {
      prompt: [],
      n: ['count', 'num_images', 'num_outputs', 'number_of_images'],
      size: [],
      quality: [],
      style: [],
      background: [],
      output_format: ['format'],
      image: [],
      mask: [],
    },
  },
  embeddings: {
    routes: ['embeddings'],
    kinds: ['raw', 'files'],
    fields: { input: ['inputs', 'prompt', 'text', 'texts', 'sentences'], dimensions: [] },
  },
  speech: {
    routes: ['audio/speech'],
    kinds: ['audios', 'files', 'raw'],
    fields: {
      input: ['prompt', 'text', 'gen_text'],
      voice: ['voice_id', 'speaker'],
      response_format: ['output_format', 'format'],
      speed: [],
      instructions: [],
    },
  },
  transcriptions: {
    routes: ['audio/transcriptions', 'audio/translations'],
    kinds: ['text', 'raw'],
    fields: { file: [], language: [], prompt: [], task: [] },
  },
  moderations: {
    routes: ['moderations'],
    kinds: ['raw'],
    fields: { input: ['inputs', 'prompt', 'text', 'texts'] },
  },
  videos: {
    routes: ['videos'],
    kinds: ['videos', 'files', 'raw'],
    fields: {
      prompt: [],
      seconds: ['duration', 'duration_seconds'],
      size: ['resolution'],
      input_reference: [],
      /** What a remix begins with. */
      video: [],
    },
  },
} as const satisfies Record<string, OperationRules>;

export type OpenaiOperation = keyof typeof openaiOperations;

export const rulesOf = (operation: OpenaiOperation): OperationRules => openaiOperations[operation];

const target = z
  .string()
  .min(1)
  .max(200)
  .regex(/^([^/].*|(\/([^~/]|~[01])*)+)$/, 'must be an input property, or a JSON pointer to one inside it')
  .describe('Input property, or a JSON pointer to one inside it, such as /image_size/width.');

const choice = z.strictObject({
  input: target,
  values: z
    .record(z.string(), z.unknown())
    .describe("The model's values for OpenAI's. Those in the `enum` of the property are sent as they are."),
});
const sides = z.strictObject({ width: target, height: target });
const ratio = z.strictObject({ ratio: target });

const fieldTarget = z.union([target, choice]).meta({ id: 'target' });
const sizeTarget = z.union([target, choice, sides, ratio]).meta({ id: 'size_target' });

/** Where the value of a field goes. */
export type FieldTarget = z.infer<typeof sizeTarget>;

const set = z.record(z.string(), z.unknown());
const place = pointer.describe('JSON pointer into the output of the execution.');
const output = z.union([place, z.record(z.string(), place)]);

export type OpenaiMapping = { set?: z.infer<typeof set>; output?: z.infer<typeof output> };

function mappingOf(operation: OpenaiOperation): z.ZodType<OpenaiMapping> {
  const names = Object.keys(rulesOf(operation).fields);
  const targets = names.map((name) => [name, (name === 'size' ? sizeTarget : fieldTarget).optional()]);
  return z.strictObject({
    ...Object.fromEntries(targets),
    set: set.optional(),
    output: output.optional(),
  });
}

function described(operation: OpenaiOperation) {
  const { routes, fields } = rulesOf(operation);
  const names = Object.keys(fields).map((name) => `\`${name}\``);
  return mappingOf(operation)
    .optional()
    .describe(`Serves ${routes.join(', ')}. Beside \`set\` and \`output\` it may map ${names.join(', ')}.`);
}

export const openai = z
  .strictObject({
    chat: described('chat'),
    images: described('images'),
    embeddings: described('embeddings'),
    speech: described('speech'),
    transcriptions: described('transcriptions'),
    moderations: described('moderations'),
    videos: described('videos'),
  } satisfies Record<OpenaiOperation, z.ZodType>)
  .describe(
    "Which operations of OpenAI's API the model serves, and how their fields become its input (docs/models/openai.md). Default: those that fit its adapter and its output, by the names of its input properties.",
  );

type Served = {
  openai?: Partial<Record<OpenaiOperation, OpenaiMapping | undefined>> | undefined;
  providers: readonly Pick<ProviderRoute, 'adapter' | 'options'>[];
  output: { kind: OutputKind };
};

const ofEndpoints: Readonly<Record<string, OpenaiOperation>> = {
  responses: 'chat',
  image_edits: 'images',
};

/** A model serves the operations in its file, or else the ones for its adapter and its output. */
export function operationsOf({ openai: given, providers: [first], output: { kind } }: Served) {
  const all = Object.keys(openaiOperations) as OpenaiOperation[];
  if (given) return all.filter((one) => given[one] !== undefined);
  if (first?.adapter !== 'openai') return all.filter((one) => rulesOf(one).kinds.includes(kind));
  const { endpoint = 'chat' } = first.options;
  return all.filter((one) => one === (ofEndpoints[endpoint as string] ?? endpoint));
}

/** The names that models have for a field of a request, the field's own first. */
export function namesOf(operation: OpenaiOperation, field: string): string[] {
  const { fields } = rulesOf(operation);
  return [field, ...(Object.hasOwn(fields, field) ? (fields[field] ?? []) : [])];
}

/** Undefined: the file does not say. */
export function targetOf(
  { openai: given }: Pick<Served, 'openai'>,
  operation: OpenaiOperation,
  field: string,
): FieldTarget | undefined {
  const mapping = given?.[operation] ?? {};
  const isField = Object.hasOwn(rulesOf(operation).fields, field) && Object.hasOwn(mapping, field);
  return isField ? (mapping as Record<string, FieldTarget>)[field] : undefined;
}
