import type { Readable } from 'node:stream';
import { getFiles } from '@holdfast/db/files';
import type { Logger } from '@holdfast/kit/logger';
import { trustedHosts, UnusableOutput } from '@holdfast/providers/outputFiles';
import { type Files, type OutputRules, storeOutput } from './outputFile.ts';
import { copies, defaultBounds } from './outputs.ts';
import type { Route } from './route.ts';
import type { Attempt } from './submission.ts';

type Owner = Pick<Attempt, 'executionId' | 'attemptId' | 'organizationId'>;

/** The provider is not read on while one is stored. */
const timeoutMs = 30_000;
/** What a run shows beyond this number is ignored. */
const maxImages = 100;

/**
 * Stores the partial images of a run by the rules of its output. One that cannot be stored is not shown: the run goes on, as
 * its output does not depend on it. `retentionS`: how long the stream is kept after the end of its execution.
 */
export function openPartialImages(
  files: Files,
  log: Logger,
  { definition: { output }, connection }: Pick<Route, 'definition' | 'connection'>,
  attempt: Owner,
  retentionS: number,
): (url: string, signal: AbortSignal) => Promise<string | null> {
  const { executionId, attemptId, organizationId } = attempt;
  const rules: OutputRules = {
    kind: 'images',
    maxFileBytes: output.max_file_bytes,
    timeoutMs,
    trustedHosts: trustedHosts(connection),
    bodies: new Map(),
    left: { bytes: defaultBounds.maxTotalBytes },
    partialForS: retentionS,
    onStart: () => undefined,
  };
  let left = maxImages;
  return async (url, signal) => {
    if (left === 0) return null;
    left -= 1;
    try {
      const stored = await copies(organizationId, () => storeOutput(files, attempt, url, rules, signal));
      return stored.file_id;
    } catch (error) {
      if (!signal.aborted)
        log.warn({ err: error, executionId, attemptId }, 'could not store a partial image');
      return null;
    }
  };
}

/** @throws UnusableOutput when it was removed */
export async function openStoredFile(
  { db, store }: Pick<Files, 'db' | 'store'>,
  { organizationId }: Owner,
  id: string,
): Promise<Readable> {
  const [file] = await getFiles(db, organizationId, [id]);
  if (!file) throw new UnusableOutput('a partial image was removed');
  return await store.read(file.key);
}
