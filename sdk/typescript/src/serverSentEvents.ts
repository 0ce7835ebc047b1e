/** An event of `text/event-stream`. */
export type ServerSentEvent = { type: string; data: string; id: string | null };

const lineEnd = /\r\n|\r|\n/;

/**
 * Reads `text/event-stream` as the HTML standard describes it. `onActivity` is called for everything that arrives,
 * comments included; `onRetry` with the milliseconds after which the server wants a reconnection.
 */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  { onActivity, onRetry }: { onActivity?: () => void; onRetry?: (ms: number) => void } = {},
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const decoder = new TextDecoder();
  let line = '';
  let held = '';
  let fields = emptyFields();
  for await (const bytes of body) {
    onActivity?.();
    const text = held + decoder.decode(bytes, { stream: true });
    // A lone CR at the end may be the first half of a CR LF.
    held = text.endsWith('\r') ? '\r' : '';
    // Only what is new is searched: a line may be megabytes long.
    const [rest = '', ...starts] = text.slice(0, text.length - held.length).split(lineEnd);
    line += rest;
    for (const start of starts) {
      const complete = line;
      line = start;
      if (complete !== '') {
        if (readField(fields, complete)) continue;
        const retry = /^retry: ?(\d+)$/.exec(complete);
        if (retry) onRetry?.(Number(retry[1]));
        continue;
      }
      if (fields.data.length > 0) {
        yield { type: fields.type || 'message', data: fields.data.join('\n'), id: fields.id };
      }
      fields = emptyFields();
    }
  }
}

type Fields = { type: string; data: string[]; id: string | null };

const emptyFields = (): Fields => ({ type: '', data: [], id: null });

/** Returns false for a line that is no field of an event. */
function readField(fields: Fields, line: string): boolean {
  const colon = line.indexOf(':');
  const name = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
  if (name === 'event') fields.type = value;
  else if (name === 'data') fields.data.push(value);
  else if (name === 'id' && !value.includes('\0')) fields.id = value;
  else return false;
  return true;
}

/** The chunks of a body. Not every runtime's ReadableStream is iterable. */
export async function* chunksOf(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** All chunks together. @throws `tooLarge()` beyond `maxBytes` */
export async function blobOfChunks(
  chunks: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of Symbol.asyncIterator in chunks ? chunks : chunksOf(chunks)) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge();
    parts.push(chunk as Uint8Array<ArrayBuffer>);
  }
  return new Blob(parts);
}
