import { multipart } from '@holdfast/egress/multipart';
import type { TrustedRequest } from '@holdfast/egress/trusted';
import { isObject } from '@holdfast/kit/jsonSchema/values';
import { formOf } from '../input.ts';
import type { OutputSink, Submission } from '../interface.ts';
import { type Endpoint, openaiOptions } from './options.ts';

const paths = {
  chat: '/chat/completions',
  responses: '/responses',
  images: '/images/generations',
  image_edits: '/images/edits',
  transcriptions: '/audio/transcriptions',
  embeddings: '/embeddings',
  speech: '/audio/speech',
  moderations: '/moderations',
} as const satisfies Record<Endpoint, string>;

type Fields = Record<string, unknown>;

type EndpointCall = {
  fields(input: Fields, isStreamed: boolean): Fields;
  ours: Fields;
  streamed?: Fields;
  isForm: boolean;
};

const calls: Record<Endpoint, EndpointCall> = {
  chat: {
    fields: chatFields,
    ours: { stream: false },
    streamed: { stream_options: { include_usage: true } },
    isForm: false,
  },
  responses: {
    fields: responsesFields,
    ours: { background: true, store: true, stream: false },
    streamed: {},
    isForm: false,
  },
  images: { fields: imageFields, ours: {}, streamed: {}, isForm: false },
  image_edits: { fields: imageFields, ours: {}, streamed: {}, isForm: true },
  transcriptions: { fields: recordingFields, ours: {}, isForm: true },
  embeddings: { fields: inputFields, ours: {}, isForm: false },
  speech: { fields: inputFields, ours: {}, isForm: false },
  moderations: { fields: inputFields, ours: {}, isForm: false },
};

export function endpointOf(options: Submission['options']): Endpoint {
  return openaiOptions.shape.endpoint.catch('chat').parse(options.endpoint);
}

const shown: Partial<Record<Endpoint, OutputSink['kind']>> = {
  chat: 'text',
  responses: 'text',
  speech: 'audio',
  images: 'image',
  image_edits: 'image',
};

/** The sink of a run whose endpoint can stream what it takes. */
export function sinkOf({ sink, options }: Submission): OutputSink | null {
  return sink !== undefined && shown[endpointOf(options)] === sink.kind ? sink : null;
}

/** The call for a run. `provider.options.body` sets fields that clients cannot; the rest is the input. */
export function requestOf(submission: Submission): { path: string } & Pick<TrustedRequest, 'json' | 'body'> {
  const { input, options, providerModel: model } = submission;
  const endpoint = endpointOf(options);
  const { fields, ours, streamed, isForm } = calls[endpoint];
  const isStreamed = streamed !== undefined && sinkOf(submission) !== null;
  const json = {
    ...fields(input, isStreamed),
    ...(isStreamed && streamed),
    ...openaiOptions.shape.body.catch({}).parse(options.body),
    model,
    ...ours,
    ...(isStreamed && { stream: true }),
  };
  const path = isTranslation(endpoint, input) ? '/audio/translations' : paths[endpoint];
  return isForm ? { path, body: multipart(formOf(json, submission)) } : { path, json };
}

function chatFields({ prompt, system, messages, ...rest }: Fields): Fields {
  if (messages !== undefined) return { ...rest, messages };
  const spoken = [
    { role: 'system', content: system },
    { role: 'user', content: prompt },
  ];
  return { ...rest, messages: spoken.filter(({ content }) => content !== undefined) };
}

function inputFields({ prompt, ...rest }: Fields): Fields {
  return prompt === undefined ? rest : { input: prompt, ...rest };
}

/** The most that OpenAI makes. */
const partialImages = 3;

/** Partial images are for streams alone. */
function imageFields({ partial_images: wanted, ...rest }: Fields, isStreamed: boolean): Fields {
  return isStreamed ? { ...rest, partial_images: wanted ?? partialImages } : rest;
}

/** OpenAI translates a recording at a path of its own. */
function isTranslation(endpoint: Endpoint, { task }: Fields): boolean {
  return endpoint === 'transcriptions' && task === 'translate';
}

function recordingFields({ task: _task, ...rest }: Fields): Fields {
  return rest;
}

/** `POST /responses` names fields differently: `input`, `instructions`, `max_output_tokens`. */
export function responsesFields({
  prompt,
  system,
  messages,
  max_tokens: maxTokens,
  ...rest
}: Record<string, unknown>): Record<string, unknown> {
  return {
    ...(messages === undefined ? { input: prompt } : { input: itemsOf(messages) }),
    ...(system !== undefined && { instructions: system }),
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
    ...rest,
  };
}

function itemsOf(messages: unknown): unknown {
  if (!Array.isArray(messages)) return messages;
  return messages.map((message: unknown) => {
    if (!isObject(message) || !Array.isArray(message.content)) return message;
    return { ...message, content: message.content.map(partOf) };
  });
}

function partOf(part: unknown): unknown {
  if (!isObject(part)) return part;
  if (part.type === 'text') return { ...part, type: 'input_text' };
  if (part.type !== 'image_url') return part;
  const { image_url: image } = part;
  return {
    type: 'input_image',
    ...(isObject(image) ? { image_url: image.url, detail: image.detail ?? 'auto' } : { image_url: image }),
  };
}
