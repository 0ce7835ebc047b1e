import { setImmediate } from 'node:timers/promises';
import { parseFromTokenizer } from 'music-metadata';
import { AbstractTokenizer, EndOfStreamError, type IFileInfo, type IReadChunkOptions } from 'strtok3';
import { type FileToMeasure, type Measures, maxSide, type ReadRange, validOrNull } from './measures.ts';

const maxInt4 = 2_147_483_647;

/** Of audio and video. Imported with the first such file: the parser takes 14 MB. */
export async function mediaMeasures(
  { contentType, sizeBytes, head }: FileToMeasure,
  read: ReadRange,
): Promise<Measures> {
  const tokenizer = new RangedTokenizer(head, { size: sizeBytes, mimeType: contentType }, read);
  const { format } = await parseFromTokenizer(tokenizer, { skipCovers: true, skipPostHeaders: true });
  const video = format.trackInfo.find((track) => track.video)?.video;
  // The file's duration may be the sound's, and is missing without sound.
  const durationS = Math.max(format.duration ?? 0, ...format.trackInfo.map(({ duration }) => duration ?? 0));
  const isVideo = contentType.startsWith('video/');
  return {
    width: isVideo ? validOrNull(video?.displayWidth ?? video?.pixelWidth, maxSide) : null,
    height: isVideo ? validOrNull(video?.displayHeight ?? video?.pixelHeight, maxSide) : null,
    durationMs: validOrNull(durationS * 1000, maxInt4),
  };
}

const windowBytes = 131_072;
/** An hour of video needs about three million bytes. */
const maxReadBytes = 8 * 1024 * 1024;
/** A file of empty chunks alone would otherwise block this process for seconds. */
const maxReads = 100_000;
const readsBetweenYields = 1000;

class RangedTokenizer extends AbstractTokenizer {
  fileInfo: IFileInfo & { size: number };
  private head: Buffer;
  private read: ReadRange;
  private window: { start: number; bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };
  private leftBytes = maxReadBytes;
  private reads = 0;

  constructor(head: Buffer, fileInfo: IFileInfo & { size: number }, read: ReadRange) {
    super({ maxBufferSize: maxReadBytes });
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
    if (this.reads > maxReads) throw new Error('the file has too many parts');
    if (this.reads % readsBetweenYields === 0) await setImmediate();
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
