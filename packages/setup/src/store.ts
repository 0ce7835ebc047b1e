import type { FileStoreConfig } from '@holdfast/files/config';
import { openStore } from '@holdfast/files/open';
import { type Patience, patience, waitUntil } from './waitUntil.ts';

/** A starting server may refuse anything, so every refusal is retried. @throws the reason when time is up */
export async function prepareStore(
  config: FileStoreConfig,
  say: (line: string) => void,
  waiting: Patience = patience,
): Promise<string> {
  const store = await openStore(config);
  const isDisk = config.FILE_STORE === 'disk';
  const what = isDisk ? `folder ${config.FILE_DISK_PATH}` : `bucket ${config.S3_BUCKET}`;
  await waitUntil({ what, work: () => store.prepare(), passes: () => !isDisk, say }, waiting);
  return what;
}
