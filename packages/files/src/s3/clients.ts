import https from 'node:https';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { http } from '@holdfast/kit/http';
import { Client as MinioClient } from 'minio';
import type { S3Settings } from '../config.ts';
import { attachment } from '../filename.ts';
import type { DownloadTerms, UploadTerms } from '../store.ts';

/** AWS's client prints warnings to the console by default. */
const silent = { trace: () => {}, debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const connectWithinMs = 10_000;
/** A request that waits for a free socket counts as connecting: there must be one for every copy of a dispatcher. */
const agent = { keepAlive: true, maxSockets: 1024 };

/** AWS's client for any S3-compatible server: it sends no checksums unless they are required. */
export function createAwsClient(settings: S3Settings, endpoint: string, silentForMs?: number): S3Client {
  return new S3Client({
    endpoint,
    region: settings.region,
    forcePathStyle: settings.style !== 'virtual',
    credentials: { accessKeyId: settings.accessKey, secretAccessKey: settings.secretKey },
    logger: silent,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: connectWithinMs,
      socketTimeout: silentForMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
}

export function createMinioClient(settings: S3Settings, silentForMs: number): MinioClient {
  const url = new URL(settings.endpoint);
  const useSSL = url.protocol === 'https:';
  return new MinioClient({
    endPoint: url.hostname,
    port: Number(url.port) || (useSSL ? 443 : 80),
    useSSL,
    accessKey: settings.accessKey,
    secretKey: settings.secretKey,
    region: settings.region,
    pathStyle: settings.style !== 'virtual',
    transport: { request: impatient(useSSL ? https.request : http.request, silentForMs) },
  });
}

/** Fails a request that gets no response, for which minio's client would wait forever. A body may pause: its reader may be slow. */
function impatient(request: typeof http.request, silentForMs: number): typeof http.request {
  return ((...args: Parameters<typeof http.request>) => {
    const sent = request(...args);
    const timer = setTimeout(() => {
      const error = new Error(`no response within ${silentForMs} ms`);
      sent.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
    }, silentForMs);
    const stop = () => clearTimeout(timer);
    return sent.once('response', stop).once('close', stop);
  }) as typeof http.request;
}

/** By AWS's presigner, which can bind the length of an upload; minio's signs only the host. */
export function createPresigner(settings: S3Settings) {
  const client = createAwsClient(settings, settings.publicEndpoint);
  return {
    upload: (terms: UploadTerms) => presignUpload(client, settings.bucket, terms),
    download: (terms: DownloadTerms) => presignDownload(client, settings.bucket, terms),
  };
}

/** The type is not signed, since a PUT may omit it and must send every signed header. It is checked with the bytes. */
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
