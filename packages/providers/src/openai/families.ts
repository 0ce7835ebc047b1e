import type { ModelFile, StreamKind } from '@holdfast/domain/modelDefinition';
import type { Schema } from '../drafts/inputSchema.ts';
import type { Endpoint } from './options.ts';

/** What models whose names begin alike take and give: the protocol has no schemas. */
type Family = {
  names: RegExp;
  endpoint: Endpoint;
  properties: Schema;
  required: readonly string[];
  example: Schema;
  output: ModelFile['output'];
  provider?: { mode?: 'poll'; files?: { as: 'multipart'; max_bytes: number } };
  rename?: Record<string, string>;
  estimate?: ModelFile['estimate'];
  timeoutS?: number;
  stream?: StreamKind;
};

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength });
const tokens = { type: 'array', minItems: 1, maxItems: 8192, items: { type: 'integer', minimum: 0 } };
const images = {
  n: { type: 'integer', minimum: 1, maximum: 8, default: 1, description: 'Number of images.' },
};
const conversation = {
  system: { type: 'string', maxLength: 100_000 },
  messages: {
    type: 'array',
    minItems: 1,
    maxItems: 1000,
    items: { type: 'object' },
    description: 'A conversation, instead of `prompt` and `system`.',
  },
};
const sampling = {
  temperature: { type: 'number', minimum: 0, maximum: 2 },
  top_p: { type: 'number', minimum: 0, maximum: 1 },
};
const multipart = { as: 'multipart', max_bytes: 25_000_000 } as const;
const drawing = { endpoint: 'images', required: ['prompt'], output: { kind: 'images' } } as const;
const imageCount = { images: { input: 'n', default: 1 } };
const lighthouse = { prompt: 'A lighthouse at dawn' };

const chat = {
  names: /(?:)/,
  endpoint: 'chat',
  properties: {
    prompt: text(400_000),
    ...conversation,
    max_tokens: { type: 'integer', minimum: 1, maximum: 16_384 },
    ...sampling,
    tools: { type: 'array', maxItems: 128, items: { type: 'object' } },
    tool_choice: {},
    response_format: { type: 'object' },
    stop: {},
    seed: { type: 'integer' },
  },
  required: [],
  example: { prompt: 'Name three lighthouses.', max_tokens: 100 },
  output: { kind: 'text' },
  estimate: { output_tokens: { input: 'max_tokens', default: 1000 } },
  stream: 'text',
} as const satisfies Family;

const families: readonly Family[] = [
  {
    ...drawing,
    names: /^gpt-image/,
    properties: {
      prompt: text(32_000),
      ...images,
      size: { type: 'string', enum: ['auto', '1024x1024', '1536x1024', '1024x1536'], default: 'auto' },
      quality: { type: 'string', enum: ['low', 'medium', 'high'], default: 'medium' },
      output_format: { type: 'string', enum: ['png', 'jpeg', 'webp'], default: 'png' },
      partial_images: {
        type: 'integer',
        minimum: 0,
        maximum: 3,
        description: 'Number of images that a stream shows on the way. Default: 3.',
      },
    },
    example: { ...lighthouse, quality: 'low' },
    estimate: imageCount,
    stream: 'image',
  },
  {
    ...drawing,
    names: /^(dall-e|flux|sd|stable-diffusion)/i,
    properties: { prompt: text(4000), ...images, size: { type: 'string', pattern: '^\\d{2,4}x\\d{2,4}$' } },
    example: lighthouse,
    estimate: imageCount,
  },
  {
    names: /(whisper|transcribe)/i,
    endpoint: 'transcriptions',
    properties: {
      audio: { type: 'string', format: 'file', description: 'The recording: a file of at most 25 MB.' },
      language: { type: 'string', pattern: '^[a-z]{2}$' },
      prompt: { type: 'string', maxLength: 1000, description: 'Names and words to expect.' },
      temperature: { type: 'number', minimum: 0, maximum: 1 },
    },
    required: ['audio'],
    example: { audio: 'file_sample-audio' },
    output: { kind: 'text' },
    provider: { files: multipart },
    rename: { audio: 'file' },
  },
  {
    names: /(^tts|-tts|kokoro|piper)/i,
    endpoint: 'speech',
    properties: {
      prompt: { ...text(4096), description: 'The text to speak.' },
      voice: { type: 'string', maxLength: 100, default: 'alloy' },
      response_format: { type: 'string', enum: ['mp3', 'opus', 'aac', 'flac', 'wav'], default: 'mp3' },
      speed: { type: 'number', minimum: 0.25, maximum: 4 },
    },
    required: ['prompt'],
    example: { prompt: 'A lighthouse at dawn.' },
    output: { kind: 'audios', max_files: 1 },
    stream: 'audio',
  },
  {
    names: /(embed|^bge|^gte|e5-|minilm)/i,
    endpoint: 'embeddings',
    properties: {
      input: {
        anyOf: [
          text(400_000),
          { type: 'array', minItems: 1, maxItems: 2048, items: text(400_000) },
          tokens,
          { type: 'array', minItems: 1, maxItems: 2048, items: tokens },
        ],
      },
      dimensions: { type: 'integer', minimum: 1, maximum: 4096 },
    },
    required: ['input'],
    example: { input: 'A lighthouse at dawn' },
    output: { kind: 'raw' },
  },
  {
    names: /moderation/i,
    endpoint: 'moderations',
    properties: {
      input: {
        anyOf: [
          text(400_000),
          { type: 'array', minItems: 1, maxItems: 2048, items: text(400_000) },
          { type: 'array', minItems: 1, maxItems: 32, items: { type: 'object' } },
        ],
        description: 'A text, several, or the texts and images of one message.',
      },
    },
    required: ['input'],
    example: { input: 'A lighthouse at dawn' },
    output: { kind: 'raw' },
  },
  {
    names: /^(o\d|gpt-5)(?!.*chat)/,
    endpoint: 'responses',
    properties: {
      prompt: text(600_000),
      ...conversation,
      reasoning: {
        type: 'object',
        additionalProperties: false,
        properties: { effort: { type: 'string', enum: ['low', 'medium', 'high'], default: 'medium' } },
      },
      max_output_tokens: { type: 'integer', minimum: 16, maximum: 128_000 },
    },
    required: [],
    example: { prompt: 'Name three lighthouses.' },
    output: { kind: 'text' },
    provider: { mode: 'poll' },
    estimate: { output_tokens: { input: 'max_output_tokens', default: 4000 } },
    timeoutS: 1800,
    stream: 'text',
  },
];

/** Models of other names are chat models. */
export const familyOf = (name: string): Family =>
  families.find(({ names }) => names.test(name.split('/').at(-1) ?? name)) ?? chat;
