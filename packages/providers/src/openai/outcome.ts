import { limits } from '@holdfast/domain/limits';
import type { Failure, OutcomeMapping } from '@holdfast/domain/outcome';
import type { BodyForm, ResponseHead } from '@holdfast/egress/trusted';
import { z } from 'zod';
import type { HttpResponse } from '../connection.ts';
import type { Ended } from '../interface.ts';
import { failure } from '../outcome/failure.ts';
import { finishReason } from '../outcome/finishReason.ts';
import { type Secrets, withRaw } from '../outcome/raw.ts';
import { type DefaultPlaces, outcomeFromResponse } from '../outcome/success.ts';
import { fileForm, heldBody, type OutputBody, responseBody } from '../outputBody.ts';
import type { Endpoint } from './options.ts';

const chat = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        finish_reason: z.string().nullish(),
        message: z
          .looseObject({
            content: z.unknown(),
            refusal: z.string().nullish(),
            reasoning: z.string().nullish().catch(null),
            reasoning_content: z.string().nullish().catch(null),
            tool_calls: z.array(z.unknown()).nullish().catch(null),
          })
          .nullish(),
      }),
    )
    .min(1),
});

/** The tokens of a segment are longer than its text. */
const segment = z
  .looseObject({ start: z.number(), end: z.number(), text: z.string() })
  .transform(({ tokens: _tokens, ...rest }) => rest);

const transcription = z.object({
  text: z.string(),
  language: z.string().optional().catch(undefined),
  duration: z.number().optional().catch(undefined),
  segments: z.array(segment).optional().catch(undefined),
});

const moderation = z.object({ results: z.array(z.looseObject({ flagged: z.boolean() })).min(1) });

export const tokens = {
  inputTokens: ['/usage/prompt_tokens', '/usage/input_tokens'],
  outputTokens: ['/usage/completion_tokens', '/usage/output_tokens'],
  cost: ['/usage/cost'],
  costHeader: 'x-litellm-response-cost',
  seconds: [],
};

const defaults = {
  chat: { output: '/choices/0/message/content', ...tokens },
  images: { output: '/data', ...tokens },
  image_edits: { output: '/data', ...tokens },
  // The length of the audio is what is charged; `duration` is in verbose responses.
  transcriptions: { output: '/text', ...tokens, seconds: ['/usage/seconds', '/duration'] },
  embeddings: { output: '/output', ...tokens },
  speech: { output: '/output', ...tokens },
  moderations: { output: '/output', ...tokens },
} as const satisfies Record<Exclude<Endpoint, 'responses'>, DefaultPlaces>;

export function responseForm(endpoint: Endpoint, isShown: boolean): (head: ResponseHead) => BodyForm {
  return (head) => {
    if (endpoint !== 'speech' || !isSound(head)) return 'text';
    return isShown && head.status < 300 ? 'stream' : fileForm(head);
  };
}

export function readOutcome(
  response: HttpResponse,
  endpoint: Exclude<Endpoint, 'responses'>,
  mapping: OutcomeMapping,
  elapsedS: number,
  secrets: Secrets,
): Ended {
  const { document, output, bodies = [], refusal, reason } = contentOf(response, endpoint, mapping);
  // Speech is charged by its length, not by the time it took.
  const measuredS = endpoint === 'speech' ? null : elapsedS;
  const outcome =
    refusal ?? outcomeFromResponse(document, mapping, defaults[endpoint], measuredS, response.headers);
  if (outcome.ok)
    return {
      state: 'ended',
      outcome: { ...outcome, ...(output && { output }), ...finishReason(reason) },
      ...(bodies.length > 0 && { bodies }),
    };
  for (const body of bodies) body.close();
  const said =
    response.bodyText.trim() === ''
      ? `${response.status} ${response.headers['content-type'] ?? ''}`
      : response.bodyText;
  return { state: 'ended', outcome: outcome.raw === undefined ? withRaw(outcome, said, secrets) : outcome };
}

/** `output` replaces the one that is read from the document. */
type Content = {
  document?: unknown;
  output?: Record<string, unknown>;
  bodies?: OutputBody[];
  refusal?: Failure;
  reason?: string | null | undefined;
};

const noOutput = failure('GENERATION_FAILED', 'The model gave no usable output.');

function contentOf(response: HttpResponse, endpoint: Endpoint, mapping: OutcomeMapping): Content {
  const { json } = response;
  if (endpoint === 'speech') {
    if (!isSound(response)) return { refusal: noOutput };
    const body = responseBody(response);
    return { document: { output: body.reference }, bodies: [body] };
  }
  if (json === undefined)
    return { refusal: failure('GENERATION_FAILED', 'The response of the model could not be read.') };
  if (endpoint === 'embeddings') return embeddingsOf(json, mapping);
  if (
    endpoint === 'transcriptions' &&
    mapping.output.kind === 'raw' &&
    mapping.output.pointer === undefined
  ) {
    const output = transcription.safeParse(json).data;
    return { document: json, ...(output && { output }) };
  }
  if (endpoint === 'moderations') {
    // Not the id and the model of the server.
    const results = moderation.safeParse(json).data?.results;
    return results ? { document: { ...(json as object), output: { results } } } : { refusal: noOutput };
  }
  if (endpoint === 'chat') {
    const choice = chat.safeParse(json).data?.choices[0];
    if (choice === undefined) return { refusal: noOutput };
    if (choice.finish_reason === 'content_filter' || choice.message?.refusal)
      return { refusal: failure('CONTENT_MODERATION_REJECTED') };
    const reason = choice.finish_reason;
    const output = besideText(choice.message ?? {});
    if (output !== null && mapping.output.kind === 'text' && mapping.output.pointer === undefined)
      return { document: { ...(json as object), choices: [{ message: { content: '' } }] }, output, reason };
    return { document: json, reason };
  }
  return { document: json };
}

type Message = NonNullable<z.infer<typeof chat>['choices'][number]['message']>;

/** A message without a text may be reasoning that reached the token limit, or calls of tools. Null: it is not. */
function besideText({ content, reasoning, reasoning_content: long, tool_calls: calls }: Partial<Message>) {
  const thoughts = reasoning ?? long;
  if ((content ?? '') !== '' || (!thoughts && !calls?.length)) return null;
  return { text: '', ...(thoughts && { reasoning: thoughts }), ...(calls?.length && { tool_calls: calls }) };
}

function embeddingsOf(json: unknown, { output }: OutcomeMapping): Content {
  const found = readEmbeddings(json);
  if (found === null) return { refusal: noOutput };
  if (output.kind !== 'raw') {
    const body = embeddingsBody(found);
    return { document: { ...(json as object), output: body.reference }, bodies: [body] };
  }
  if (isInline(found)) return { document: { ...(json as object), output: found } };
  const raw = `more vectors than are stored with an execution: with output.kind files they are a file`;
  return { refusal: { ...failure('GENERATION_FAILED', 'The output of the model is too large.'), raw } };
}

function isSound({ headers }: ResponseHead): boolean {
  return /^(audio\/|video\/|application\/(octet-stream|ogg)\b)/i.test(headers['content-type'] ?? '');
}

/** `dimensions`: the length of every vector. */
export type Embeddings = { embeddings: number[][]; dimensions: number };

/** Null when the response has none. Vectors are lists or base64 of 32-bit floats. */
export function readEmbeddings(response: unknown): Embeddings | null {
  const { data } = (response ?? {}) as { data?: unknown };
  if (!Array.isArray(data) || data.length === 0) return null;
  const entries = data.map(entryOf);
  if (!entries.every((entry) => entry !== null)) return null;
  const embeddings = entries.toSorted((a, b) => a.index - b.index).map(({ vector }) => vector);
  const dimensions = embeddings[0]?.length ?? 0;
  const isWhole = dimensions > 0 && embeddings.every(({ length }) => length === dimensions);
  return isWhole ? { embeddings, dimensions } : null;
}

export function isInline(embeddings: Embeddings): boolean {
  return JSON.stringify(embeddings).length <= limits.outputLength;
}

export function embeddingsBody(embeddings: Embeddings): OutputBody {
  return heldBody(new Blob([JSON.stringify(embeddings)]), 'application/json');
}

function entryOf(found: unknown, position: number): { index: number; vector: number[] } | null {
  const { index = position, embedding } = (found ?? {}) as { index?: unknown; embedding?: unknown };
  const vector = typeof embedding === 'string' ? decoded(embedding) : embedding;
  const isVector = Array.isArray(vector) && vector.every((one) => Number.isFinite(one));
  return isVector && typeof index === 'number' ? { index, vector } : null;
}

function decoded(base64: string): number[] {
  const bytes = Buffer.from(base64, 'base64');
  const count = Math.floor(bytes.length / 4);
  return Array.from({ length: count }, (_, at) => bytes.readFloatLE(at * 4));
}
