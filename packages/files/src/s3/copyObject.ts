import { Readable } from 'node:stream';
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { uploadStream } from './upload.ts';

/** Through this process: not every server copies by itself, and the object is as small as an upload may be. */
export async function copyObject(client: S3Client, bucket: string, from: string, to: string): Promise<void> {
  const found = await client.send(new GetObjectCommand({ Bucket: bucket, Key: from }));
  const { Body: body, ContentLength: sizeBytes, ContentType: contentType } = found;
  if (!(body instanceof Readable) || sizeBytes === undefined) throw new Error(`${from} has no length`);
  const target = { client, bucket, key: to, contentType: contentType ?? 'application/octet-stream' };
  await uploadStream(target, body, sizeBytes);
}
