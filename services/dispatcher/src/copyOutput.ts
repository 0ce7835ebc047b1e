import { setTimeout as delay } from 'node:timers/promises';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { Success } from '@holdfast/domain/outcome';
import { DownloadError } from '@holdfast/egress/download';
import { trustedHost } from '@holdfast/providers/connection';
import { copyOutputFiles, type StoredFile, UnusableOutput } from '@holdfast/providers/outputFiles';
import type { Context } from './context.ts';
import { storeOutput } from './storeOutput.ts';
import type { Run } from './submission.ts';

// The provider has been paid: a store, database or host that restarts is worth half a minute.
const pausesMs = [500, 1000, 2000, 4000, 8000, 15_000];

/** Copies the output's files into our store. Null when they can't be had, or the signal aborts. */
export async function copyOutput(
  context: Context,
  definition: ModelDefinition,
  run: Run,
  success: Success,
  signal: AbortSignal,
): Promise<Success | null> {
  const trusted = trustedHosts(context, definition);
  const stored = new Map<string, StoredFile>();
  /** What was copied at an earlier try is not copied again. */
  async function copy(url: string): Promise<StoredFile> {
    const file = stored.get(url) ?? (await storeOutput(context, run, { url, trustedHosts: trusted }, signal));
    stored.set(url, file);
    return file;
  }
  return await persistently(
    () => copyOutputFiles(success, definition.output.kind, copy),
    (error, tries) =>
      context.log.warn(
        { err: error, executionId: run.id, attemptId: run.attemptId, tries },
        'an output file was not copied',
      ),
    signal,
  );
}

/** Does the work again, after each pause, unless its error is one that stays. Null when it did not come about. */
export async function persistently<Result>(
  work: () => Promise<Result>,
  onFailure: (error: unknown, tries: number) => void,
  signal: AbortSignal,
  pauses = pausesMs,
): Promise<Result | null> {
  for (let tries = 1; !signal.aborted; tries++) {
    try {
      return await work();
    } catch (error) {
      onFailure(error, tries);
      const pauseMs = pauses[tries - 1];
      if (pauseMs === undefined || willStay(error)) return null;
      // What aborts the pause, ends the loop.
      await delay(pauseMs, undefined, { signal }).catch(() => {});
    }
  }
  return null;
}

function willStay(error: unknown): boolean {
  if (error instanceof UnusableOutput) return true;
  if (!(error instanceof DownloadError) || error.stage === 'network') return false;
  return error.stage !== 'status' || (error.status !== null && error.status < 500 && error.status !== 429);
}

/**
 * The provider's own host, wherever it is. Not for `raw` output: a model that gives back what it was sent would let
 * a client choose the URL.
 */
function trustedHosts({ connections }: Context, { providers, output }: ModelDefinition): string[] {
  const connection = connections[providers[0]?.connection ?? ''];
  return connection && output.kind !== 'raw' ? [trustedHost(connection)] : [];
}
