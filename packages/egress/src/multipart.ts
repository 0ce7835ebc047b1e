import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { StreamedBody } from './trusted.ts';

export type FormPart =
  | { name: string; value: string }
  | {
      name: string;
      filename: string;
      contentType: string;
      sizeBytes: number;
      open(): Promise<Readable>;
    };

/** A part can't be read or has the wrong length: the peer gets no complete request. */
export class UnreadableBody extends Error {
  readonly code = 'ERR_BODY_UNREADABLE';
}

/** A `multipart/form-data` body of known length (RFC 7578). Each file is opened when it is sent. */
export function multipart(parts: FormPart[]): StreamedBody {
  const boundary = `holdfast-${randomUUID()}`;
  const withHeads = parts.map((part) => ({ part, head: headOf(part, boundary) }));
  const end = `--${boundary}--\r\n`;
  const sizes = withHeads.map(({ part, head }) => Buffer.byteLength(head) + sizeOf(part) + 2);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    sizeBytes: sizes.reduce((sum, size) => sum + size, end.length),
    open: () => readableOf((sending) => chunks(withHeads, end, sending)),
  };
}

type Sending = { file: Readable | null; isOver: boolean };

function readableOf(start: (sending: Sending) => AsyncGenerator<string | Buffer>): Readable {
  const sending: Sending = { file: null, isOver: false };
  const iterator = start(sending);
  return new Readable({
    read() {
      iterator.next().then(
        ({ done, value }) => this.push(done ? null : value),
        (error: Error) => this.destroy(error),
      );
    },
    destroy(error, done) {
      sending.isOver = true;
      sending.file?.destroy();
      done(error);
    },
  });
}

async function* chunks(
  parts: { part: FormPart; head: string }[],
  end: string,
  sending: Sending,
): AsyncGenerator<string | Buffer> {
  for (const { part, head } of parts) {
    yield head;
    if ('value' in part) yield part.value;
    else yield* bytesOf(part, sending);
    yield '\r\n';
  }
  yield end;
}

async function* bytesOf(
  part: Exclude<FormPart, { value: string }>,
  sending: Sending,
): AsyncGenerator<Buffer> {
  let leftBytes = part.sizeBytes;
  try {
    const file = await part.open();
    sending.file = file;
    if (sending.isOver) file.destroy();
    for await (const chunk of file) {
      leftBytes -= (chunk as Buffer).length;
      if (leftBytes < 0) throw new Error('it is larger than declared');
      yield chunk as Buffer;
    }
    if (leftBytes > 0) throw new Error('it is smaller than declared');
  } catch (error) {
    throw new UnreadableBody(`the part ${part.name} can't be read`, { cause: error });
  }
}

function headOf(part: FormPart, boundary: string): string {
  const start = `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(part.name)}"`;
  return 'value' in part
    ? `${start}\r\n\r\n`
    : `${start}; filename="${quoted(part.filename)}"\r\ncontent-type: ${printable(part.contentType)}\r\n\r\n`;
}

function sizeOf(part: FormPart): number {
  return 'value' in part ? Buffer.byteLength(part.value) : part.sizeBytes;
}

function quoted(text: string): string {
  return text.replace(/["\r\n]/g, encodeURIComponent);
}

function printable(contentType: string): string {
  return contentType.replace(/[^\x20-\x7e]/g, '');
}
