import { diskSettings, type FileStoreConfig, s3Settings } from './config.ts';
import type { ObjectStore } from './store.ts';

/** Loads only the backend that the settings choose: an S3 client takes 0.1 s to load. @throws for missing settings */
export async function openStore(config: FileStoreConfig): Promise<ObjectStore> {
  const disk = diskSettings(config);
  if (disk) return (await import('./disk/diskStore.ts')).createDiskStore(disk);
  const s3 = s3Settings(config);
  return (await import('./s3/s3Store.ts')).createS3Store(s3);
}
