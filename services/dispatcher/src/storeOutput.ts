import { addAbortSignal, pipeline, type Readable, Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { insertOutput, markOutputReady } from '@holdfast/db/files';
import { newId } from '@holdfast/domain/ids';
import type { OutputKind } from '@holdfast/domain/modelResponse';
import { DownloadError, openDownload } from '@holdfast/egress/download';
import { extensionOf } from '@holdfast/files/allowedTypes';
import { outputType } from '@holdfast/files/detectedType';
import { type Measures, measure, measuredHeadBytes } from '@holdfast/files/measures';
import type { OutputBody } from '@holdfast/providers/outputBody';
import { type StoredFile, UnusableOutput } from '@holdfast/providers/outputFiles';
import type { Context } from './context.ts';
import { openDataUrl } from './dataUrl.ts';
import type { Run } from './submission.ts';
import { takeHead } from './takeHead.ts';

/** What the outputs of a run may be, and where they come from. */
export type Terms = {
  kind: OutputKind;
  maxFileBytes: number;
  /** Of one file, redirects and body included. */
  timeoutMs: number;
  /** `host:port` whose files are fetched as they are; any other under the egress policy. */
  trustedHosts: string[];
  /** Those that came in the provider's answer itself, by their references. */
  bodies: ReadonlyMap<string, OutputBody>;
  /** What all files of the run may still add up to; counted down while bytes come in. */
  left: { bytes: number };
  /** Told of the id of each file that is begun. */
  begun(id: string): void;
};

/** Where they go. */
export type Stores = Pick<Context, 'db' | 'store' | 'egress'>;

/** Whose they are. */
export type Maker = Pick<Run, 'id' | 'organizationId'>;

type Source = { stream: Readable; contentType: string | null; sizeBytes?: number | null };

/** Streams one output file of a provider (URL, data URL or body of its answer) into our store; returns our record of it. */
export async function storeOutput(
  context: Stores,
  run: Maker,
  url: string,
  terms: Terms,
  signal: AbortSignal,
): Promise<StoredFile> {
  const source = await open(context, url, terms, signal);
  addAbortSignal(signal, source.stream);
  try {
    return await store(context, run, source, terms);
  } finally {
    source.stream.destroy();
  }
}

async function open(context: Stores, url: string, terms: Terms, signal: AbortSignal): Promise<Source> {
  const body = terms.bodies.get(url);
  if (body)
    return { stream: await body.open(signal), contentType: body.contentType, sizeBytes: body.sizeBytes };
  return /^data:/i.test(url) ? openDataUrl(url) : await download(context, url, terms);
}

function download(context: Stores, url: string, terms: Terms): Promise<Source> {
  const { trustedHosts, timeoutMs, maxFileBytes } = terms;
  return openDownload({ url, trustedHosts, timeoutMs, maxBytes: maxFileBytes, policy: context.egress });
}

async function store(context: Stores, run: Maker, source: Source, terms: Terms): Promise<StoredFile> {
  const { head, stream } = await takeHead(source.stream, measuredHeadBytes);
  const contentType = await outputType(head, source.contentType, terms.kind);
  const extension = contentType && extensionOf(contentType);
  if (!contentType || !extension) throw new UnusableOutput('an output is not a file of the promised kind');
  const id = newId('file');
  terms.begun(id);
  const { organizationId, id: executionId } = run;
  const filename = `${id}.${extension}`;
  await insertOutput(context.db, { id, key: filename, organizationId, executionId, filename, contentType });
  const sizeBytes = await put(context, filename, { ...source, stream, contentType }, terms);
  const measures = await measure({ contentType, sizeBytes, head }, async (start, end) =>
    buffer(await context.store.read(filename, { start, end })),
  );
  await markOutputReady(context.db, id, { sizeBytes, ...measures });
  return { file_id: id, format: formatOf(contentType, extension), ...shown(measures) };
}

/** Bytes of a copy that fails count for nothing: it is made anew. */
async function put(
  context: Stores,
  key: string,
  { stream, contentType, sizeBytes }: Source & { contentType: string },
  { left, maxFileBytes }: Terms,
): Promise<number> {
  let takenBytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      takenBytes += chunk.length;
      left.bytes -= chunk.length;
      if (takenBytes > maxFileBytes) done(new DownloadError('too_large', 'an output file is too large'));
      else if (left.bytes < 0) done(new UnusableOutput('the outputs of a run are too large together'));
      else done(null, chunk);
    },
  });
  // The store learns of a failure through the stream it holds.
  pipeline(stream, counted, () => {});
  try {
    const options = typeof sizeBytes === 'number' ? { contentType, sizeBytes } : { contentType };
    return (await context.store.put(key, counted, options)).sizeBytes;
  } catch (error) {
    left.bytes += takenBytes;
    throw error;
  }
}

function shown({ width, height, durationMs }: Measures): Omit<StoredFile, 'file_id' | 'format'> {
  return {
    ...(width !== null && height !== null && { width, height }),
    ...(durationMs !== null && { duration: durationMs / 1000 }),
  };
}

/** `image/jpeg` -> `jpeg`, `audio/mpeg` -> `mp3`. */
function formatOf(contentType: string, extension: string): string {
  return contentType.startsWith('image/') ? contentType.slice('image/'.length) : extension;
}
