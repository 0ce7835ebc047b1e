import type { FileStoreConfig } from '@holdfast/files/config';
import { openStore } from '@holdfast/files/open';
import { type Patience, patience, waitUntil } from './waitUntil.ts';

/**
 * Makes the bucket or folder unless it is there, and answers which. A server that just starts may refuse anything, so
 * every refusal is waited out. @throws the reason when the store can not be used in time
 */
export async function prepareStore(
  config: FileStoreConfig,
  say: (line: string) => void,
  waiting: Patience = patience,
): Promise<string> {
  const store = openStore(config);
  const isDisk = config.FILE_STORE === 'disk';
  const what = isDisk ? `folder ${config.FILE_DISK_PATH}` : `bucket ${config.S3_BUCKET}`;
  await waitUntil({ what, work: () => store.prepare(), passes: () => !isDisk, say }, waiting);
  return what;
}
