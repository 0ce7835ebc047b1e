import { ConnectionError, type ErrorDetail, errorOf } from './errors.ts';
import { FileSource } from './fileSource.ts';
import { type Http, type RequestOptions, startAttempt } from './http.ts';
import { chunksOf } from './serverSentEvents.ts';
import type { BatchItemRequest } from './types.ts';

/** Items, or a file with one as JSON on each line: `file(path)` or a Blob. */
export type BatchInput = Iterable<BatchItemRequest> | AsyncIterable<BatchItemRequest> | FileSource | Blob;

/** A line that was not accepted, by its number from 1 (of an array or iterator: the number of the item). */
export type RejectedItem = {
  line: number;
  custom_id: string | null;
  error: { code: string; message: string; details?: ErrorDetail[] };
};

export type AddedItems = {
  accepted: number;
  duplicates: number;
  rejected: number;
  rejectedItems: RejectedItem[];
};

/** A request has no more: it can be sent again, and the service names rejected lines at its end. */
const groupChars = 524_288;
/** No more of the rejected items are returned. */
const maxRejected = 1000;

/** The lines of the items, without line feeds. */
export async function* linesOf(items: BatchInput): AsyncGenerator<string, void, undefined> {
  const source = items instanceof FileSource ? (await items.open()).blob : items;
  if (source instanceof Blob) yield* linesIn(source);
  else for await (const item of source) yield JSON.stringify(item);
}

async function* linesIn(blob: Blob): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunksOf(blob.stream())) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}

/** Adds lines to an open batch, in requests of half a megabyte. */
export async function addLines(
  http: Http,
  id: string,
  lines: AsyncIterable<string>,
  options: RequestOptions,
): Promise<AddedItems> {
  const added: AddedItems = { accepted: 0, duplicates: 0, rejected: 0, rejectedItems: [] };
  let group: string[] = [];
  let chars = 0;
  let sent = 0;

  async function send(): Promise<void> {
    const { counts, rejected } = await http.repeat(() => postLines(http, id, group, options), {
      ...options,
      isRepeatable: true,
    });
    added.accepted += counts.accepted;
    added.duplicates += counts.duplicates;
    added.rejected += counts.rejected;
    const room = maxRejected - added.rejectedItems.length;
    added.rejectedItems.push(...rejected.slice(0, room).map((one) => ({ ...one, line: one.line + sent })));
    sent += group.length;
    group = [];
    chars = 0;
  }

  for await (const line of lines) {
    if (chars + line.length > groupChars && group.length > 0) await send();
    group.push(line);
    chars += line.length;
  }
  if (group.length > 0) await send();
  return added;
}

type Counts = { accepted: number; duplicates: number; rejected: number };

async function postLines(http: Http, id: string, lines: readonly string[], options: RequestOptions) {
  const { response, close } = await http.open(
    {
      method: 'POST',
      path: `/v1/batches/${encodeURIComponent(id)}/items`,
      body: lines.join('\n'),
      headers: { 'Content-Type': 'application/x-ndjson', Accept: 'application/x-ndjson, application/json' },
    },
    options,
  );
  const attempt = startAttempt(options.signal, options.timeout ?? http.settings.timeout);
  attempt.signal.addEventListener('abort', close, { once: true });
  try {
    const text = await attempt.reading(() => response.text());
    return parsed(response, text);
  } finally {
    attempt.close();
  }
}

/** Rejected lines, then the counts, or the error that ended the intake. */
function parsed(response: Response, text: string): { counts: Counts; rejected: RejectedItem[] } {
  const lines = text.trim().split('\n');
  const last = lines.pop() ?? '';
  try {
    const counts = JSON.parse(last) as Partial<Counts>;
    if (typeof counts.accepted === 'number')
      return {
        counts: counts as Counts,
        rejected: lines.filter(Boolean).map((line) => JSON.parse(line) as RejectedItem),
      };
  } catch {
    // Cut in the middle: reported below.
  }
  if (last.startsWith('{"error"'))
    throw errorOf(new Response(null, { status: 500, headers: response.headers }), last);
  throw new ConnectionError({
    code: 'INVALID_RESPONSE',
    message: 'The response to the items ended before their counts.',
    requestId: response.headers.get('x-request-id'),
  });
}
