import { diskSettings, type FileStoreConfig, s3Settings } from './config.ts';
import { createDiskStore } from './disk/diskStore.ts';
import { createS3Store } from './s3/s3Store.ts';
import type { ObjectStore } from './store.ts';

export function openStore(config: FileStoreConfig): ObjectStore {
  const disk = diskSettings(config);
  return disk ? createDiskStore(disk) : createS3Store(s3Settings(config));
}
