import { setImmediate } from 'node:timers/promises';
import { AbstractTokenizer, EndOfStreamError, type IFileInfo, type IReadChunkOptions } from 'strtok3';

/** The bytes from `start` to `end`, both inclusive. */
export type ReadRange = (start: number, end: number) => Promise<Buffer>;

const windowBytes = 131_072;
/** An hour of video tells its measures in about three million bytes. */
const mostReadBytes = 8 * 1024 * 1024;
/** A file of nothing but empty chunks would be read for seconds, and nobody else served meanwhile. */
const mostReads = 100_000;
const readsAtOnce = 1000;

/** A stored file for parsers that jump about in it: its beginning is at hand, the rest is read by the window. */
export class RangedTokenizer extends AbstractTokenizer {
  fileInfo: IFileInfo & { size: number };
  private head: Buffer;
  private read: ReadRange;
  private window: { start: number; bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };
  private leftBytes = mostReadBytes;
  private reads = 0;

  constructor(head: Buffer, fileInfo: IFileInfo & { size: number }, read: ReadRange) {
    super({ maxBufferSize: mostReadBytes });
    this.head = head;
    this.fileInfo = fileInfo;
    this.read = read;
  }

  supportsRandomAccess(): boolean {
    return true;
  }

  setPosition(position: number): void {
    this.position = position;
  }

  async readBuffer(target: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    const position = options?.position ?? this.position;
    const read = await this.peekBuffer(target, options);
    this.position = position + read;
    return read;
  }

  async peekBuffer(target: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    this.reads += 1;
    if (this.reads > mostReads) throw new Error('the file has too many parts');
    if (this.reads % readsAtOnce === 0) await setImmediate();
    const { length, position, mayBeLess } = this.normalizeOptions(target, options);
    const end = Math.min(this.fileInfo.size, position + length);
    if (!mayBeLess && end - position < length) throw new EndOfStreamError();
    for (let at = position; at < end; ) {
      const piece = (await this.bytesAt(at)).subarray(0, end - at);
      target.set(piece, at - position);
      at += piece.length;
    }
    return Math.max(0, end - position);
  }

  /** At least the byte there, and what is at hand after it. */
  private async bytesAt(position: number): Promise<Buffer> {
    if (position < this.head.length) return this.head.subarray(position);
    const within = position - this.window.start;
    if (within >= 0 && within < this.window.bytes.length) return this.window.bytes.subarray(within);
    const end = Math.min(this.fileInfo.size, position + windowBytes);
    this.leftBytes -= end - position;
    if (this.leftBytes < 0) throw new Error('too much of the file would have to be read');
    this.window = { start: position, bytes: await this.read(position, end - 1) };
    if (this.window.bytes.length === 0) throw new EndOfStreamError();
    return this.window.bytes;
  }
}
