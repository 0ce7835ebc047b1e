import { limits } from '@holdfast/domain/limits';
import type { OutcomeMapping } from '@holdfast/domain/modelDefinition';
import type { Failure } from '@holdfast/domain/outcome';
import type { BodyForm, ResponseHead } from '@holdfast/egress/trusted';
import { z } from 'zod';
import type { Answer } from '../connection.ts';
import type { Ended } from '../interface.ts';
import { failure } from '../outcome/failure.ts';
import { type Secrets, withRaw } from '../outcome/raw.ts';
import { outcomeFromAnswer, type UsualPlaces } from '../outcome/success.ts';
import { answerBody, fileForm, heldBody, type OutputBody } from '../outputBody.ts';
import type { Endpoint } from './options.ts';

const chat = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        finish_reason: z.string().nullish(),
        message: z.looseObject({ refusal: z.string().nullish() }).nullish(),
      }),
    )
    .min(1),
});

export const tokens = {
  inputTokens: ['/usage/prompt_tokens', '/usage/input_tokens'],
  outputTokens: ['/usage/completion_tokens', '/usage/output_tokens'],
  cost: ['/usage/cost'],
  // What a LiteLLM proxy has paid.
  costHeader: 'x-litellm-response-cost',
  seconds: [],
};

const usual = {
  chat: { output: '/choices/0/message/content', ...tokens },
  images: { output: '/data', ...tokens },
  image_edits: { output: '/data', ...tokens },
  // Of the sound, which is what is paid for; `duration` is in a verbose answer.
  transcriptions: { output: '/text', ...tokens, seconds: ['/usage/seconds', '/duration'] },
  // Written there by us.
  embeddings: { output: '/output', ...tokens },
  speech: { output: '/output', ...tokens },
} as const satisfies Record<Exclude<Endpoint, 'responses'>, UsualPlaces>;

/** How the body of an answer is read: sound is a file, everything else a text. */
export function answerForm(endpoint: Endpoint): (head: ResponseHead) => BodyForm {
  return (head) => (endpoint === 'speech' && isSound(head) ? fileForm(head) : 'text');
}

/** The end of a run by the 2xx answer to a call that answers at once. */
export function readAnswer(
  answer: Answer,
  endpoint: Exclude<Endpoint, 'responses'>,
  mapping: OutcomeMapping,
  elapsedS: number,
  secrets: Secrets,
): Ended {
  const { document, bodies = [], refusal } = contentOf(answer, endpoint, mapping);
  // A voice is paid by what it has said, not by how long that took.
  const measuredS = endpoint === 'speech' ? null : elapsedS;
  const outcome = refusal ?? outcomeFromAnswer(document, mapping, usual[endpoint], measuredS, answer.headers);
  if (outcome.ok) return { state: 'ended', outcome, ...(bodies.length > 0 && { bodies }) };
  for (const body of bodies) body.close();
  const said =
    answer.bodyText.trim() === ''
      ? `${answer.status} ${answer.headers['content-type'] ?? ''}`
      : answer.bodyText;
  return { state: 'ended', outcome: outcome.raw === undefined ? withRaw(outcome, said, secrets) : outcome };
}

/** What an answer holds: the document for the model's places, the files in it, or why there is none. */
type Content = { document?: unknown; bodies?: OutputBody[]; refusal?: Failure };

const noOutput = failure('GENERATION_FAILED', 'The model gave no usable output.');

function contentOf(answer: Answer, endpoint: Endpoint, mapping: OutcomeMapping): Content {
  const { json } = answer;
  if (endpoint === 'speech') {
    if (!isSound(answer)) return { refusal: noOutput };
    const body = answerBody(answer);
    return { document: { output: body.reference }, bodies: [body] };
  }
  if (json === undefined)
    return { refusal: failure('GENERATION_FAILED', 'The model gave an answer that could not be read.') };
  if (endpoint === 'embeddings') return embeddingsOf(json, mapping);
  if (endpoint === 'chat') {
    const choice = chat.safeParse(json).data?.choices[0];
    if (choice === undefined) return { refusal: noOutput };
    if (choice.finish_reason === 'content_filter' || choice.message?.refusal)
      return { refusal: failure('CONTENT_MODERATION_REJECTED') };
  }
  return { document: json };
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

/** Vectors of the same length, in the order of the texts. `dimensions`: that length. */
export type Embeddings = { embeddings: number[][]; dimensions: number };

/** What an answer of `/embeddings` holds; null when it is none. Vectors may be lists or, in base64, 32-bit floats. */
export function readEmbeddings(answer: unknown): Embeddings | null {
  const { data } = (answer ?? {}) as { data?: unknown };
  if (!Array.isArray(data) || data.length === 0) return null;
  const entries = data.map(entryOf);
  if (!entries.every((entry) => entry !== null)) return null;
  const embeddings = entries.toSorted((a, b) => a.index - b.index).map(({ vector }) => vector);
  const dimensions = embeddings[0]?.length ?? 0;
  const isWhole = dimensions > 0 && embeddings.every(({ length }) => length === dimensions);
  return isWhole ? { embeddings, dimensions } : null;
}

/** Whether they are stored with the execution; more go into a file. */
export function isInline(embeddings: Embeddings): boolean {
  return JSON.stringify(embeddings).length <= limits.outputLength;
}

/** They as a file of JSON. */
export function embeddingsBody(embeddings: Embeddings): OutputBody {
  return heldBody(new Blob([JSON.stringify(embeddings)]), 'application/json');
}

function entryOf(found: unknown, place: number): { index: number; vector: number[] } | null {
  const { index = place, embedding } = (found ?? {}) as { index?: unknown; embedding?: unknown };
  const vector = typeof embedding === 'string' ? decoded(embedding) : embedding;
  const isVector = Array.isArray(vector) && vector.every((one) => Number.isFinite(one));
  return isVector && typeof index === 'number' ? { index, vector } : null;
}

function decoded(base64: string): number[] {
  const bytes = Buffer.from(base64, 'base64');
  const count = Math.floor(bytes.length / 4);
  return Array.from({ length: count }, (_, at) => bytes.readFloatLE(at * 4));
}
