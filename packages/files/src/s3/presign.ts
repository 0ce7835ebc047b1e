import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { attachment } from '../contentDisposition.ts';
import type { DownloadTerms, UploadTerms } from '../store.ts';
import { createAwsClient } from './awsClient.ts';
import type { S3Settings } from './settings.ts';

/** The minio client signs the host alone, which does not bind the length; AWS's presigner can. */
export function createPresigner(settings: S3Settings) {
  const client = createAwsClient(settings, settings.publicEndpoint);
  return {
    upload: (terms: UploadTerms) => presignUpload(client, settings.bucket, terms),
    download: (terms: DownloadTerms) => presignDownload(client, settings.bucket, terms),
  };
}

/** Signed headers must be sent: the type is not among them, for a PUT may leave it out. It is judged when bytes are checked. */
function presignUpload(
  client: S3Client,
  bucket: string,
  { key, sizeBytes, expiresInS }: UploadTerms,
): Promise<string> {
  const bound = sizeBytes === null ? [] : ['content-length'];
  const command = new PutObjectCommand({
    Bucket: bucket,
    Key: key,
    ...(sizeBytes === null ? {} : { ContentLength: sizeBytes }),
  });
  return getSignedUrl(client, command, {
    expiresIn: expiresInS,
    signableHeaders: new Set(['host', ...bound]),
    unhoistableHeaders: new Set(bound),
  });
}

function presignDownload(client: S3Client, bucket: string, terms: DownloadTerms): Promise<string> {
  const command = new GetObjectCommand({
    Bucket: bucket,
    Key: terms.key,
    ResponseContentDisposition: attachment(terms.filename),
    ResponseContentType: terms.contentType,
  });
  return getSignedUrl(client, command, { expiresIn: terms.expiresInS });
}
