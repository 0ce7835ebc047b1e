import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { nameInHeader } from '@holdfast/egress/fileName';
import type { ResponseHead } from '@holdfast/egress/trusted';
import type { HttpResponse } from './connection.ts';
import { UnusableOutput } from './outputFiles.ts';

/** An output file inside a response. The output has `reference` where others have a URL. */
export type OutputBody = {
  reference: string;
  contentType: string | null;
  /** As the provider names it: not safe to use as a path. */
  filename: string | null;
  /** Null until it has been read. */
  sizeBytes: number | null;
  /** The bytes from the start. Rejects with UnusableOutput when they cannot be read again. */
  open(signal: AbortSignal): Promise<Readable>;
  close(): void;
};

const reference = /^body:[0-9a-f-]{36}$/;

/** A smaller body is buffered, so that storing it can be retried; a larger one is streamed. */
const maxBufferedBytes = 4 * 1024 * 1024;

export function isBodyReference(text: string): boolean {
  return reference.test(text);
}

export function fileForm({ headers }: ResponseHead): 'bytes' | 'stream' {
  return Number(headers['content-length'] ?? Number.NaN) <= maxBufferedBytes ? 'bytes' : 'stream';
}

export function responseBody(
  response: HttpResponse,
  refetch?: (signal: AbortSignal) => Promise<HttpResponse>,
): OutputBody {
  const { headers, bytes } = response;
  const contentType = headers['content-type']?.split(';')[0]?.trim().toLowerCase() || null;
  const filename = nameInHeader(headers['content-disposition']);
  if (bytes) return heldBody(new Blob([bytes]), contentType, filename);
  const sizeBytes = Number(headers['content-length'] ?? Number.NaN);
  let stream = response.stream ?? null;
  return {
    reference: newReference(),
    contentType,
    filename,
    sizeBytes: Number.isNaN(sizeBytes) ? null : sizeBytes,
    async open(signal) {
      const isFresh = stream && !stream.readableDidRead && !stream.destroyed;
      if (stream && isFresh) return stream;
      if (!refetch)
        throw new UnusableOutput('an output file came in a response that cannot be fetched again');
      stream = (await refetch(signal)).stream ?? null;
      if (stream === null) throw new Error('an output file could not be fetched again');
      return stream;
    },
    close: () => stream?.destroy(),
  };
}

export function heldBody(
  bytes: Blob,
  contentType: string | null,
  filename: string | null = null,
): OutputBody {
  const open = async () => Readable.fromWeb(bytes.stream());
  return { ...openedBody(open), contentType, filename, sizeBytes: bytes.size };
}

/** A body of an unknown type and size. */
export function openedBody(open: OutputBody['open']): OutputBody {
  const unknown = { contentType: null, filename: null, sizeBytes: null };
  return { reference: newReference(), ...unknown, open, close: () => {} };
}

function newReference(): string {
  return `body:${randomUUID()}`;
}
