import { setImmediate } from 'node:timers/promises';
import { limits } from '@holdfast/domain/limits';

/** Reads the bytes from `start` to `end`, both inclusive. */
export type ReadRange = (start: number, end: number) => Promise<Buffer>;

/** As many files as are copied at once have one each in memory. */
const windowBytes = 524_288;
/** A file is at most read once, but for what lies between windows that are read to and fro. */
const maxReadBytes = limits.maxFileBytes + 32 * windowBytes;
/** Half a million frames are three hours of sound. */
const maxReads = 2_000_000;
const readsBetweenYields = 2000;

/**
 * The bytes of a file, for a reader that goes through it from start to end. Files are hostile: what is read in total is
 * limited, and the event loop has its turn in between.
 */
export class FileBytes {
  readonly sizeBytes: number;
  private window: { start: number; bytes: Buffer };
  private readonly read: ReadRange;
  private readBytes = 0;
  private reads = 0;

  constructor({ sizeBytes, head }: { sizeBytes: number; head: Buffer }, read: ReadRange) {
    this.sizeBytes = sizeBytes;
    this.window = { start: 0, bytes: head };
    this.read = read;
  }

  /** Fewer than `length` bytes at the end of the file. `length` is at most a window. @throws at the limits */
  async at(position: number, length: number): Promise<Buffer> {
    this.reads += 1;
    if (this.reads > maxReads) throw new Error('the file has too many parts');
    if (this.reads % readsBetweenYields === 0) await setImmediate();
    const end = Math.min(this.sizeBytes, position + Math.min(length, windowBytes));
    if (position >= end) return Buffer.alloc(0);
    const { start, bytes } = this.window;
    if (position < start || end > start + bytes.length) await this.move(position);
    const from = position - this.window.start;
    return this.window.bytes.subarray(from, from + end - position);
  }

  /** @throws also when the file ends before */
  async exactly(position: number, length: number): Promise<Buffer> {
    const bytes = await this.at(position, length);
    if (bytes.length < length) throw new Error('the file is cut off');
    return bytes;
  }

  private async move(start: number): Promise<void> {
    const end = Math.min(this.sizeBytes, start + windowBytes);
    this.readBytes += end - start;
    if (this.readBytes > maxReadBytes) throw new Error('too much of the file would have to be read');
    this.window = { start, bytes: await this.read(start, end - 1) };
  }
}
