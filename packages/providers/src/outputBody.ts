import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ResponseHead } from '@holdfast/egress/trusted';
import type { Answer } from './connection.ts';
import { UnusableOutput } from './outputFiles.ts';

/** An output file whose bytes stand in an answer itself. The output names it by `reference` where others have a URL. */
export type OutputBody = {
  reference: string;
  contentType: string | null;
  /** Null: it is known when it has been read. */
  sizeBytes: number | null;
  /** The bytes from their beginning. Rejects with UnusableOutput where they can't be had again. */
  open(signal: AbortSignal): Promise<Readable>;
  /** Lets go of bytes that nobody has read. */
  close(): void;
};

const reference = /^body:[0-9a-f-]{36}$/;

/** A body of at most this is read whole, so that it can be stored again where that failed; a larger one is a stream. */
const mostHeldBytes = 4 * 1024 * 1024;

export function isBodyReference(text: string): boolean {
  return reference.test(text);
}

/** How an answer is read whose body is a file. */
export function fileForm({ headers }: ResponseHead): 'bytes' | 'stream' {
  return Number(headers['content-length'] ?? Number.NaN) <= mostHeldBytes ? 'bytes' : 'stream';
}

/** The file that an answer is, read as `fileForm` says. `again`: asks for the same answer once more. */
export function answerBody(answer: Answer, again?: (signal: AbortSignal) => Promise<Answer>): OutputBody {
  const { headers, bytes } = answer;
  const contentType = headers['content-type']?.split(';')[0]?.trim().toLowerCase() || null;
  if (bytes) return heldBody(new Blob([bytes]), contentType);
  const sizeBytes = Number(headers['content-length'] ?? Number.NaN);
  let stream = answer.stream ?? null;
  return {
    reference: newReference(),
    contentType,
    sizeBytes: Number.isNaN(sizeBytes) ? null : sizeBytes,
    async open(signal) {
      const isFresh = stream && !stream.readableDidRead && !stream.destroyed;
      if (stream && isFresh) return stream;
      if (!again) throw new UnusableOutput('an output file came in an answer that can not be had again');
      stream = (await again(signal)).stream ?? null;
      if (stream === null) throw new Error('an output file could not be asked for again');
      return stream;
    },
    close: () => stream?.destroy(),
  };
}

/** A file that is in memory. */
export function heldBody(bytes: Blob, contentType: string | null): OutputBody {
  return {
    reference: newReference(),
    contentType,
    sizeBytes: bytes.size,
    open: async () => Readable.fromWeb(bytes.stream()),
    close: () => {},
  };
}

function newReference(): string {
  return `body:${randomUUID()}`;
}
