import { S3Client } from '@aws-sdk/client-s3';
import type { S3Settings } from './settings.ts';

/** By default the client writes warnings to the console; what goes wrong is thrown, and logged by who catches it. */
const silent = { trace: () => {}, debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** AWS's client for an endpoint of any server; no checksums beyond what every server knows. */
export function createAwsClient(settings: S3Settings, endpoint: string): S3Client {
  return new S3Client({
    endpoint,
    region: settings.region,
    forcePathStyle: settings.style !== 'virtual',
    credentials: { accessKeyId: settings.accessKey, secretAccessKey: settings.secretKey },
    logger: silent,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
}
