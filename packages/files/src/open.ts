import type { FileStoreConfig } from './config.ts';
import { createDiskStore } from './disk/diskStore.ts';
import type { DiskSettings } from './disk/settings.ts';
import { createS3Store } from './s3/s3Store.ts';
import type { S3Settings } from './s3/settings.ts';
import type { ObjectStore } from './store.ts';

/** Opens the store the environment names. Throws when a setting it needs is missing. */
export function openStore(config: FileStoreConfig): ObjectStore {
  const disk = diskSettings(config);
  return disk ? createDiskStore(disk) : createS3Store(s3Settings(config));
}

/** What the gateway's /storage handlers need; null when the files are elsewhere. */
export function diskSettings(config: FileStoreConfig): DiskSettings | null {
  if (config.FILE_STORE !== 'disk') return null;
  return {
    path: need(config, 'FILE_DISK_PATH'),
    urlSecrets: need(config, 'FILE_URL_SECRET'),
    publicUrl: need(config, 'PUBLIC_URL'),
  };
}

function s3Settings(config: FileStoreConfig): S3Settings {
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
