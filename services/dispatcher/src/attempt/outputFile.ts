import { addAbortSignal, pipeline, Readable, Transform } from 'node:stream';
import type { Database } from '@holdfast/db/client';
import { insertOutput, markOutputReady } from '@holdfast/db/files';
import { newId } from '@holdfast/domain/ids';
import type { OutputKind } from '@holdfast/domain/modelResponse';
import { DownloadError, openDownload } from '@holdfast/egress/download';
import type { EgressPolicy } from '@holdfast/egress/policy';
import { extensionIn, sanitiseFilename } from '@holdfast/files/filename';
import { isUnreadable, type Measures, measure, measuredHeadBytes } from '@holdfast/files/measures';
import { isTyped, type OutputType, outputType } from '@holdfast/files/outputType';
import type { ObjectStore } from '@holdfast/files/store';
import type { OutputBody } from '@holdfast/providers/outputBody';
import { type StoredFile, UnusableOutput, WrongOutputType } from '@holdfast/providers/outputFiles';
import type { Attempt } from './submission.ts';

export type Files = { db: Database; store: ObjectStore; egress: EgressPolicy };

export type OutputRules = {
  kind: OutputKind;
  maxFileBytes: number;
  /** Limits one file, redirects and body included. */
  timeoutMs: number;
  /** Files from these `host:port` are fetched without the egress policy. */
  trustedHosts: string[];
  /** Files within the provider's response, by their references. */
  bodies: ReadonlyMap<string, OutputBody>;
  /** For all files of the run; counted down as bytes arrive. */
  left: { bytes: number };
  /** As `NewOutput`. */
  partialForS?: number;
  onStart(id: string): void;
};

type Source = {
  stream: Readable;
  contentType: string | null;
  filename: string | null;
  sizeBytes?: number | null | undefined;
};

/** `url` may be a data URL, or the reference of a body of the response. */
export async function storeOutput(
  files: Files,
  attempt: Pick<Attempt, 'executionId' | 'organizationId'>,
  url: string,
  rules: OutputRules,
  signal: AbortSignal,
): Promise<StoredFile> {
  const source = await open(files, url, rules, signal);
  addAbortSignal(signal, source.stream);
  try {
    return await store(files, attempt, source, rules);
  } finally {
    source.stream.destroy();
  }
}

async function open(files: Files, url: string, rules: OutputRules, signal: AbortSignal): Promise<Source> {
  const body = rules.bodies.get(url);
  if (body) {
    const { contentType, filename, sizeBytes } = body;
    return { stream: await body.open(signal), contentType, filename, sizeBytes };
  }
  return /^data:/i.test(url) ? openDataUrl(url) : await download(files, url, rules);
}

function download(files: Files, url: string, rules: OutputRules): Promise<Source> {
  const { trustedHosts, timeoutMs, maxFileBytes } = rules;
  return openDownload({ url, trustedHosts, timeoutMs, maxBytes: maxFileBytes, policy: files.egress });
}

async function store(
  files: Files,
  attempt: Pick<Attempt, 'executionId' | 'organizationId'>,
  source: Source,
  rules: OutputRules,
): Promise<StoredFile> {
  const { head, stream } = await takeHead(source.stream, measuredHeadBytes);
  const { contentType, extension } = await typeOf(head, source, rules.kind);
  const id = newId('file');
  rules.onStart(id);
  const { organizationId, executionId } = attempt;
  const key = `${id}.${extension}`;
  const filename = nameOf(source.filename, id, extension);
  const { partialForS } = rules;
  const row = { id, key, organizationId, executionId, filename, contentType, partialForS };
  await insertOutput(files.db, row);
  const sizeBytes = await put(files, key, { stream, contentType, sizeBytes: source.sizeBytes }, rules);
  const measures = await measure({ contentType, sizeBytes, head }, (start, end) =>
    files.store.readRange(key, { start, end }),
  );
  if (isTyped(rules.kind) && isUnreadable(contentType, measures))
    throw new WrongOutputType(`an output has the type ${contentType}, and is cut off or damaged`);
  await markOutputReady(files.db, id, { sizeBytes, ...measures });
  return { file_id: id, format: formatOf(contentType, extension), ...dimensionsOf(measures) };
}

async function typeOf(head: Buffer, source: Source, kind: OutputKind): Promise<OutputType> {
  if (head.length === 0) throw new UnusableOutput('an output file is empty');
  const type = await outputType(head, source, kind);
  if ('refused' in type)
    throw new WrongOutputType(`an output has ${type.refused}, which is not accepted for ${kind}`);
  return type;
}

/** The provider's name, with an extension if it has none. */
function nameOf(filename: string | null, id: string, extension: string): string {
  const name = filename === null ? id : sanitiseFilename(filename);
  return extensionIn(name) === null ? sanitiseFilename(`${name}.${extension}`) : name;
}

/** The bytes of a copy that fails are given back, for it may be retried. */
async function put(
  files: Files,
  key: string,
  { stream, contentType, sizeBytes }: Pick<Source, 'stream' | 'sizeBytes'> & { contentType: string },
  { left, maxFileBytes }: OutputRules,
): Promise<number> {
  let readBytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      readBytes += chunk.length;
      left.bytes -= chunk.length;
      if (readBytes > maxFileBytes) done(new DownloadError('too_large', 'an output file is too large'));
      else if (left.bytes < 0) done(new UnusableOutput('the outputs of a run are too large together'));
      else done(null, chunk);
    },
  });
  // The store sees a failure in the stream that it reads.
  pipeline(stream, counted, () => {});
  try {
    const options = typeof sizeBytes === 'number' ? { contentType, sizeBytes } : { contentType };
    return (await files.store.put(key, counted, options)).sizeBytes;
  } catch (error) {
    left.bytes += readBytes;
    throw error;
  }
}

function dimensionsOf({ width, height, durationMs }: Measures): Omit<StoredFile, 'file_id' | 'format'> {
  return {
    ...(width !== null && height !== null && { width, height }),
    ...(durationMs !== null && { duration: durationMs / 1000 }),
  };
}

/** `image/jpeg` -> `jpeg`, `audio/mpeg` -> `mp3`. */
function formatOf(contentType: string, extension: string): string {
  return contentType.startsWith('image/') ? contentType.slice('image/'.length) : extension;
}

export async function takeHead(source: Readable, bytes: number): Promise<{ head: Buffer; stream: Readable }> {
  const chunks: Buffer[] = [];
  let size = 0;
  const iterator = source.iterator({ destroyOnReturn: false });
  for (;;) {
    const { done, value } = await iterator.next();
    if (done) break;
    chunks.push(value as Buffer);
    size += (value as Buffer).length;
    if (size >= bytes) break;
  }
  const stream = Readable.from(restOf(chunks, source, iterator), { objectMode: false });
  return { head: Buffer.concat(chunks).subarray(0, bytes), stream };
}

async function* restOf(
  chunks: Buffer[],
  source: Readable,
  iterator: AsyncIterator<unknown>,
): AsyncGenerator<Buffer> {
  try {
    yield* chunks;
    for (let next = await iterator.next(); !next.done; next = await iterator.next())
      yield next.value as Buffer;
  } finally {
    source.destroy();
  }
}

const pieceChars = 65_536;
/** Characters of a data URL's type and parameters, before the comma. */
const maxHeadChars = 1024;

/** Decodes piece by piece; `contentType` and `filename` (its parameter `name`) are the declared ones. */
export function openDataUrl(url: string): Source {
  const comma = url.slice(0, maxHeadChars).indexOf(',');
  if (comma < 0) throw new UnusableOutput('a data URL has no data');
  const head = url.slice('data:'.length, comma);
  const [contentType, ...parameters] = head.toLowerCase().split(';');
  const decode = parameters.at(-1)?.trim() === 'base64' ? fromBase64 : fromPercents;
  return {
    stream: Readable.from(decode(url, comma + 1), { objectMode: false }),
    contentType: contentType?.trim() || null,
    filename: decodedPercents(/;\s*name="?([^";]+)/i.exec(head)?.[1] ?? '') || null,
  };
}

/** Four characters are three bytes; there may be line breaks between them. */
function* fromBase64(url: string, start: number): Generator<Buffer> {
  let rest = '';
  for (let at = start; at < url.length; at += pieceChars) {
    const text = rest + decodedPercents(url.slice(at, at + pieceChars)).replace(/\s+/g, '');
    const whole = text.length - (text.length % 4);
    rest = text.slice(whole);
    if (whole > 0) yield Buffer.from(text.slice(0, whole), 'base64');
  }
  if (rest) yield Buffer.from(rest, 'base64');
}

/** Some encoders escape `+`, `/` and `=`. An escape that is cut in two by a piece is not supported. */
function decodedPercents(text: string): string {
  return text.includes('%') ? text.replace(/%([0-9a-f]{2})/gi, (_all, hex) => character(hex)) : text;
}

/** `%ff` is one byte, even where it is no valid text. */
function* fromPercents(url: string, start: number): Generator<Buffer> {
  for (let at = start; at < url.length; ) {
    const end = pieceEnd(url, at, Math.min(url.length, at + pieceChars));
    const utf8 = Buffer.from(url.slice(at, end)).toString('latin1');
    yield Buffer.from(
      utf8.replace(/%([0-9a-f]{2})/gi, (_all, hex) => character(hex)),
      'latin1',
    );
    at = end;
  }
}

/** The end of a piece, such that it splits neither an escape nor a surrogate pair. */
function pieceEnd(url: string, start: number, end: number): number {
  if (end === url.length) return end;
  const escape = url.lastIndexOf('%', end - 1);
  if (escape > start && escape > end - 3) return escape;
  return /[\ud800-\udbff]/.test(url.charAt(end - 1)) ? end - 1 : end;
}

function character(hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}
