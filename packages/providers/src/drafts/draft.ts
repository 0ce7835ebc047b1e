import type { ModelFile, StreamKind } from '@holdfast/domain/modelDefinition';
import type { TrustedHttp } from '@holdfast/egress/trusted';
import type { DraftInput } from './inputSchema.ts';

/** A model as its provider describes it; texts in `notes` say what the operator still has to decide, and why. */
export type ModelDraft = {
  /** Where the description comes from, for the first line. */
  source: string;
  name: string;
  description: string | null;
  aliases: string[];
  provider: NonNullable<ModelFile['provider']>;
  input: DraftInput;
  /** Null: the provider states none. */
  price: ModelFile['price'] | null;
  priceNote: string;
  estimate?: ModelFile['estimate'];
  timeoutS?: number;
  output: ModelFile['output'];
  outputNote?: string;
  /** What the model could stream. Offering that needs a decision on the cost of a cancel. */
  stream: StreamKind | null;
};

/** A description that could not be read, in a sentence for the operator. */
export class DraftError extends Error {}

/** @throws DraftError for anything but JSON with a status below 300 */
export async function fetchJson(
  http: TrustedHttp,
  path: string,
  what: string,
): Promise<Record<string, unknown>> {
  const result = await http.request('GET', path);
  if (!result.ok) throw new DraftError(`${what} can't be read: ${result.message}`);
  const { status, json } = result;
  if (status === 404) throw new DraftError(`there is no ${what}`);
  if (status === 401 || status === 403) throw new DraftError(`${what} can't be read: the key is refused`);
  if (status >= 300 || json === null || typeof json !== 'object')
    throw new DraftError(`${what} can't be read: the response has status ${status} and no description`);
  return json as Record<string, unknown>;
}

/** A slug of the last parts of a provider's name: not of its owner, which may name the provider. */
export function slugOf(name: string): string {
  const [owner = '', ...parts] = (name.split(':')[0] ?? '').split('/');
  return (parts.length > 0 ? parts.join('-') : owner)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 64);
}
