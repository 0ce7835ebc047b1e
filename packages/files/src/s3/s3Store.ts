import type { Readable } from 'node:stream';
import { NoSuchKey, type S3Client } from '@aws-sdk/client-s3';
import { type Client, S3Error } from 'minio';
import type { S3Settings } from '../config.ts';
import {
  assertKey,
  atStore,
  type ByteRange,
  ObjectNotFoundError,
  type ObjectStore,
  type StoredObject,
  StoreFailedError,
  sealedKey,
} from '../store.ts';
import { createAwsClient, createMinioClient, createPresigner } from './clients.ts';
import { copyObject, type Target, uploadBuffer, uploadSpooled, uploadStream } from './uploads.ts';

type Bucket = { client: Client; name: string };

/** How long a server may be silent: after a request, and while a body is copied, whose source may pause (a download for 120 s). */
const defaultSilence = { requestMs: 30_000, copyMs: 150_000 };

export function createS3Store(settings: S3Settings, silence = defaultSilence): ObjectStore {
  const bucket = { client: createMinioClient(settings, silence.requestMs), name: settings.bucket };
  const aws = createAwsClient(settings, settings.endpoint, silence.copyMs);
  const presigner = createPresigner(settings);
  return {
    prepare: () => ensureBucket(bucket, settings.region),
    presignUpload: async (terms) => presigner.upload(checked(terms)),
    presignDownload: async (terms) => presigner.download(checked(terms)),
    put: async (key, body, { contentType, sizeBytes }) =>
      put({ client: aws, bucket: settings.bucket, key: checked({ key }).key, contentType }, body, sizeBytes),
    seal: (key, extension = null) => atStore(() => seal(aws, settings.bucket, key, extension)),
    stat: (key) => atStore(async () => stat(bucket, checked({ key }).key)),
    read: (key, range) => atStore(async () => read(bucket, checked({ key }).key, range)),
    // No Range header, which an empty object would refuse: reads the start and closes the connection.
    readHead: (key, bytes) =>
      atStore(async () => collect(await read(bucket, checked({ key }).key), silence.requestMs, bytes)),
    readRange: (key, range) =>
      atStore(async () => collect(await read(bucket, checked({ key }).key, range), silence.requestMs)),
    remove: (key) => atStore(async () => bucket.client.removeObject(bucket.name, checked({ key }).key)),
  };
}

function checked<Keyed extends { key: string }>(terms: Keyed): Keyed {
  assertKey(terms.key);
  return terms;
}

async function ensureBucket({ client, name }: Bucket, region: string): Promise<void> {
  if (await client.bucketExists(name)) return;
  try {
    await client.makeBucket(name, region);
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!(await client.bucketExists(name))) throw error;
  }
}

async function put(
  target: Target,
  body: Readable | Buffer,
  sizeBytes?: number,
): Promise<{ sizeBytes: number }> {
  if (Buffer.isBuffer(body)) return { sizeBytes: await uploadBuffer(target, body) };
  const stored =
    sizeBytes === undefined ? uploadSpooled(target, body) : uploadStream(target, body, sizeBytes);
  return { sizeBytes: await stored };
}

async function seal(
  client: S3Client,
  bucket: string,
  key: string,
  extension: string | null,
): Promise<string> {
  const sealed = sealedKey(key, extension);
  try {
    await copyObject(client, bucket, key, sealed);
    return sealed;
  } catch (error) {
    throw error instanceof NoSuchKey ? new ObjectNotFoundError(key) : error;
  }
}

async function stat({ client, name }: Bucket, key: string): Promise<StoredObject | null> {
  try {
    const { size, metaData } = await client.statObject(name, key);
    const contentType: unknown = metaData['content-type'];
    return { sizeBytes: size, contentType: typeof contentType === 'string' ? contentType : null };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

async function read({ client, name }: Bucket, key: string, range?: ByteRange): Promise<Readable> {
  try {
    if (!range) return await client.getObject(name, key);
    return await client.getPartialObject(name, key, range.start, range.end - range.start + 1);
  } catch (error) {
    throw isMissing(error) ? new ObjectNotFoundError(key) : error;
  }
}

/** Up to `maxBytes`. No slow reader is behind it, so a pause is the server's. @throws after one of `silentForMs` */
async function collect(
  body: Readable,
  silentForMs: number,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<Buffer> {
  const fail = () => body.destroy(new StoreFailedError(new Error(`no data within ${silentForMs} ms`)));
  const timer = setTimeout(fail, silentForMs);
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of body) {
      timer.refresh();
      chunks.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes >= maxBytes) break;
    }
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

function isMissing(error: unknown): boolean {
  return error instanceof S3Error && (error.code === 'NotFound' || error.code === 'NoSuchKey');
}
