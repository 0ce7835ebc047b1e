import { publicUrl } from '@holdfast/kit/config';
import { z } from 'zod';
import type { DiskSettings } from './disk/settings.ts';
import type { S3Settings } from './s3/settings.ts';

/** The settings of the object store, for `parseConfig`. Which of them are needed depends on FILE_STORE. */
export const fileStoreConfig = {
  FILE_STORE: z.enum(['disk', 's3']).default('disk').describe('Where file bytes are kept'),
  FILE_DISK_PATH: z.string().optional().describe('disk: the folder'),
  FILE_URL_SECRET: z
    .string()
    .transform((text) => text.split(',').map((secret) => secret.trim()))
    .pipe(z.array(z.string().min(16, 'each must be 16 characters or more')))
    .optional()
    .describe(
      'disk: signs upload and download URLs; 16 characters or more. Several, comma-separated: the first signs, all are good',
    ),
  PUBLIC_URL: publicUrl,
  S3_ENDPOINT: z.url().optional().describe('s3: the server as the services reach it'),
  S3_PUBLIC_ENDPOINT: z
    .url()
    .optional()
    .describe('s3: the server as clients reach it; S3_ENDPOINT unless set'),
  S3_REGION: z.string().default('us-east-1').describe('s3: region'),
  S3_STYLE: z
    .enum(['path', 'virtual'])
    .default('path')
    .describe('s3: where the bucket stands: https://host/bucket/key, or https://bucket.host/key'),
  S3_BUCKET: z.string().optional().describe('s3: bucket; the setup makes it when it is missing'),
  S3_ACCESS_KEY: z.string().optional().describe('s3: access key'),
  S3_SECRET_KEY: z.string().optional().describe('s3: secret key'),
};

const needed = {
  disk: ['FILE_DISK_PATH', 'FILE_URL_SECRET', 'PUBLIC_URL'],
  s3: ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY', 'S3_SECRET_KEY'],
} as const;

/** What the chosen store lacks, a line each. */
export function fileStoreProblems(env: NodeJS.ProcessEnv): string[] {
  const store = env.FILE_STORE === 's3' ? 's3' : 'disk';
  return needed[store]
    .filter((name) => !env[name])
    .map((name) => `${name} is not set: it is needed with FILE_STORE=${store}`);
}

export type FileStoreConfig = z.infer<z.ZodObject<typeof fileStoreConfig>>;

/** Of a store on this machine's disk; null with another. @throws for a setting that is missing */
export function diskSettings(config: FileStoreConfig): DiskSettings | null {
  if (config.FILE_STORE !== 'disk') return null;
  return {
    path: need(config, 'FILE_DISK_PATH'),
    urlSecrets: need(config, 'FILE_URL_SECRET'),
    publicUrl: need(config, 'PUBLIC_URL'),
  };
}

/** @throws for a setting that is missing */
export function s3Settings(config: FileStoreConfig): S3Settings {
  const endpoint = need(config, 'S3_ENDPOINT');
  return {
    endpoint,
    publicEndpoint: config.S3_PUBLIC_ENDPOINT ?? endpoint,
    region: config.S3_REGION,
    bucket: need(config, 'S3_BUCKET'),
    style: config.S3_STYLE,
    accessKey: need(config, 'S3_ACCESS_KEY'),
    secretKey: need(config, 'S3_SECRET_KEY'),
  };
}

function need<Name extends keyof FileStoreConfig>(config: FileStoreConfig, name: Name) {
  const value = config[name];
  if (!value) throw new Error(`${name} is needed with FILE_STORE=${config.FILE_STORE}`);
  return value as NonNullable<FileStoreConfig[Name]>;
}
