import { publicUrl } from '@holdfast/kit/config';
import { z } from 'zod';

export const fileStoreConfig = {
  FILE_STORE: z.enum(['disk', 's3']).default('disk').describe('Where file bytes are stored'),
  FILE_DISK_PATH: z.string().optional().describe('disk: the folder'),
  FILE_URL_SECRET: z
    .string()
    .transform((text) => text.split(',').map((secret) => secret.trim()))
    .pipe(z.array(z.string().min(16, 'each must be 16 characters or more')))
    .optional()
    .describe(
      'disk: signs upload and download URLs; 16 characters or more. Several, comma-separated: the first signs, all verify',
    ),
  PUBLIC_URL: publicUrl,
  S3_ENDPOINT: z.url().optional().describe('s3: the server as the services reach it'),
  S3_PUBLIC_ENDPOINT: z.url().optional().describe('s3: the server as clients reach it; default S3_ENDPOINT'),
  S3_REGION: z.string().default('us-east-1').describe('s3: region'),
  S3_STYLE: z
    .enum(['path', 'virtual'])
    .default('path')
    .describe(
      's3: URLs with the bucket in the path (https://host/bucket/key) or in the host (https://bucket.host/key)',
    ),
  S3_BUCKET: z.string().optional().describe('s3: bucket; the setup creates it if it is missing'),
  S3_ACCESS_KEY: z.string().optional().describe('s3: access key'),
  S3_SECRET_KEY: z.string().optional().describe('s3: secret key'),
};

const needed = {
  disk: ['FILE_DISK_PATH', 'FILE_URL_SECRET', 'PUBLIC_URL'],
  s3: ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY', 'S3_SECRET_KEY'],
} as const;

export function fileStoreProblems(env: NodeJS.ProcessEnv): string[] {
  const store = env.FILE_STORE === 's3' ? 's3' : 'disk';
  return needed[store]
    .filter((name) => !env[name])
    .map((name) => `${name} is not set: it is needed with FILE_STORE=${store}`);
}

export type FileStoreConfig = z.infer<z.ZodObject<typeof fileStoreConfig>>;

/** `publicUrl`: the gateway as clients reach it. The first of `urlSecrets` signs, all verify. */
export type DiskSettings = { path: string; urlSecrets: readonly string[]; publicUrl: string };

/** Null for a store other than the disk. @throws for a missing setting */
export function diskSettings(config: FileStoreConfig): DiskSettings | null {
  if (config.FILE_STORE !== 'disk') return null;
  return {
    path: need(config, 'FILE_DISK_PATH'),
    urlSecrets: need(config, 'FILE_URL_SECRET'),
    publicUrl: need(config, 'PUBLIC_URL'),
  };
}

export type S3Settings = {
  endpoint: string;
  publicEndpoint: string;
  region: string;
  bucket: string;
  /** `host/bucket/key` or `bucket.host/key`. Default: path. */
  style?: 'path' | 'virtual';
  accessKey: string;
  secretKey: string;
};

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
