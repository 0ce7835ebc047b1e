import { json } from 'node:stream/consumers';
import { ApiError } from '@holdfast/domain/errors';
import type { EndedExecution } from '@holdfast/domain/execution';
import type { Reply } from '../../http/endpoint.ts';
import { type Created, type FaceCall, whenCompleted } from '../run.ts';
import { usageOf } from './completion.ts';
import { mapped } from './mapping.ts';
import { noOutput, requireOutput } from './output.ts';

/** What an embedding model made, as a list of vectors. */
export function vectorsReply(
  call: FaceCall,
  created: Created,
  { model, isBase64 }: { model: string; isBase64: boolean },
): Reply {
  return whenCompleted(call, created, (execution) => vectorsOf(call, execution, { model, isBase64 }));
}

/** @throws ApiError if the output has none */
export async function vectorsOf(
  call: Pick<FaceCall, 'context' | 'caller'>,
  execution: EndedExecution,
  { model, isBase64 }: { model: string; isBase64: boolean },
): Promise<object> {
  const { output } = await mapped(call.context, execution, 'embeddings');
  const vectors = vectorsIn(output) ?? (await storedVectors(call, execution));
  if (vectors === null) throw noOutput(execution);
  const { prompt_tokens, total_tokens } = usageOf(execution);
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: isBase64 ? base64Of(vector) : vector,
    })),
    model,
    usage: { prompt_tokens, total_tokens },
  };
}

/** 32-bit floats, little-endian, as all machines that Holdfast runs on. */
function base64Of(vector: readonly number[]): string {
  return Buffer.from(Float32Array.from(vector).buffer).toString('base64');
}

const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'number');

/** A vector, a list of them, or of objects with one each; null: there is none. */
export function vectorsIn(value: unknown): number[][] | null {
  if (isNumbers(value)) return [value];
  if (Array.isArray(value)) {
    const vectors = value.map((one) => (isNumbers(one) ? one : embeddingIn(one)));
    return vectors.length > 0 && vectors.every((one) => one !== null) ? vectors : null;
  }
  if (value === null || typeof value !== 'object') return null;
  const { embeddings, embedding, data, output } = value as Record<string, unknown>;
  return vectorsIn(embeddings ?? embedding ?? data ?? output ?? null);
}

function embeddingIn(value: unknown): number[] | null {
  const { embedding } = Object(value);
  return isNumbers(embedding) ? embedding : null;
}

const maxStoredBytes = 16_777_216;
/** The text, its numbers and the response, in memory, as a multiple of the text. */
const memoryFactor = 3;

async function storedVectors(
  call: Pick<FaceCall, 'context' | 'caller'>,
  execution: EndedExecution,
): Promise<number[][] | null> {
  const { context, caller } = call;
  const [{ id, key, contentType, sizeBytes }] = await requireOutput(call, execution, 'embeddings');
  if (contentType !== 'application/json') return null;
  if (sizeBytes > maxStoredBytes) {
    const message = `The vectors are too large for one response: read the file ${id} by GET /v1/files.`;
    throw new ApiError('PAYLOAD_TOO_LARGE', message);
  }
  const hold = context.responses.open(caller.organizationId);
  try {
    hold.take(sizeBytes * memoryFactor);
    return vectorsIn(await json(await context.store.read(key)));
  } finally {
    hold.release();
  }
}
