import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { atStore } from '../store.ts';

export type Target = { client: S3Client; bucket: string; key: string; contentType: string };

/** One PUT, so no parts of a failed upload must be paid for. AWS's client streams a body of known length; minio's does not. */
export async function uploadBuffer(target: Target, body: Buffer): Promise<number> {
  await send(target, body, body.length);
  return body.length;
}

export async function uploadStream(target: Target, body: Readable, sizeBytes: number): Promise<number> {
  const exact = exactly(sizeBytes);
  const abort = new AbortController();
  const copied = pipeline(body, exact).catch((error: unknown) => {
    abort.abort();
    throw error;
  });
  const sent = send(target, exact, sizeBytes, { abortSignal: abort.signal });
  try {
    await Promise.all([copied, sent]);
    return sizeBytes;
  } catch (error) {
    exact.destroy();
    throw error;
  }
}

/** A PUT must declare its length, so a body of unknown length goes to a temporary file first, which no name keeps after a crash. */
export async function uploadSpooled(target: Target, body: Readable): Promise<number> {
  const file = await openUnnamedFile();
  try {
    await file.writeFile(body);
    const { size } = await file.stat();
    return await uploadStream(target, file.createReadStream({ start: 0 }), size);
  } finally {
    await file.close();
  }
}

async function openUnnamedFile(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-upload-'));
  try {
    return await open(join(folder, 'body'), 'wx+');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Through this process, since not every server can copy. The object is at most as large as an upload. */
export async function copyObject(client: S3Client, bucket: string, from: string, to: string): Promise<void> {
  const source = await client.send(new GetObjectCommand({ Bucket: bucket, Key: from }));
  const { Body: body, ContentLength: sizeBytes, ContentType: contentType } = source;
  if (!(body instanceof Readable) || sizeBytes === undefined) throw new Error(`${from} has no length`);
  const target = { client, bucket, key: to, contentType: contentType ?? 'application/octet-stream' };
  await uploadStream(target, body, sizeBytes);
}

/** Only errors of the server become StoreFailedError, not those of the body. */
async function send(
  { client, bucket, key, contentType }: Target,
  body: Buffer | Readable,
  sizeBytes: number,
  options: { abortSignal?: AbortSignal } = {},
): Promise<void> {
  const command = new PutObjectCommand({
    Bucket: bucket,
    Key: key,
    Body: body,
    ContentLength: sizeBytes,
    ContentType: contentType,
  });
  await atStore(() => client.send(command, options));
}

/** Fails on a body of another length, for which the server would wait. */
function exactly(sizeBytes: number): Transform {
  let leftBytes = sizeBytes;
  const wrong = () => new Error(`the body is not ${sizeBytes} bytes long`);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      leftBytes -= chunk.length;
      if (leftBytes < 0) done(wrong());
      else done(null, chunk);
    },
    flush(done) {
      done(leftBytes === 0 ? null : wrong());
    },
  });
}
