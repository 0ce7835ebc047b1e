import { limits } from '@holdfast/domain/limits';
import { heldBody, type OutputBody } from '../outputBody.ts';

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
