import { diskSettings, type FileStoreConfig } from '@holdfast/files/config';
import type { ObjectStore } from '@holdfast/files/store';

/** As `openStore`, but an S3 client is loaded only for a store that needs one: loading it takes 0.1 s. */
export async function loadStore(config: FileStoreConfig): Promise<ObjectStore> {
  const disk = diskSettings(config);
  if (disk) return (await import('@holdfast/files/disk/diskStore')).createDiskStore(disk);
  return (await import('@holdfast/files/open')).openStore(config);
}
