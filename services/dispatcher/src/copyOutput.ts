import { dropOutputs, keepOutputs } from '@holdfast/db/files/keepOutputs';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { ProviderRoute } from '@holdfast/domain/modelRoute';
import type { Success } from '@holdfast/domain/outcome';
import { trustedHost } from '@holdfast/providers/connection';
import { copyOutputFiles, type StoredFile } from '@holdfast/providers/outputFiles';
import type { Context } from './context.ts';
import { withMeasuredFiles } from './measuredFiles.ts';
import { persistently } from './persistently.ts';
import { type Maker, type Stores, storeOutput, type Terms } from './storeOutput.ts';
import type { Run } from './submission.ts';
import { createTurns } from './turns.ts';

/** How patient and how generous a copy is. */
export type Bounds = {
  timeoutMs: number;
  pausesMs?: number[];
  maxTotalBytes: number;
  /** Told of each try that fails. */
  onFailure?: (error: unknown) => void;
};

export const usualBounds: Bounds = { timeoutMs: 120_000, maxTotalBytes: 1024 ** 3 };

type Copying = Stores & Pick<Context, 'connections' | 'log'>;
type CopiedRun = Maker & Pick<Run, 'attemptId'>;

/**
 * Of the process, whose memory they share; organizations take turns, and leave each other half of the places. A run waits
 * with no more than its own few.
 */
const copies = createTurns(64, 32);
const mostOfRun = 8;

/** A success whose files are ours, and their ids. */
export type Copied = { success: Success; files: string[] };

/**
 * Copies the output's files into our store, all or none: what was stored of an output that fails is removed. Null when
 * they can't be had, or the signal aborts.
 */
export async function copyOutput(
  context: Copying,
  { definition, route }: { definition: ModelDefinition; route: ProviderRoute },
  run: CopiedRun,
  success: Success,
  signal: AbortSignal,
  bounds = usualBounds,
): Promise<Copied | null> {
  const { output } = definition;
  const begun = new Set<string>();
  const stored = new Map<string, StoredFile>();
  const terms: Terms = {
    kind: output.kind,
    maxFileBytes: output.max_file_bytes,
    timeoutMs: bounds.timeoutMs,
    trustedHosts: trustedHosts(context, definition, route),
    left: { bytes: bounds.maxTotalBytes },
    begun: (id) => begun.add(id),
  };
  const copy = copier(run, stored, (url) => storeOutput(context, run, url, terms, signal), signal);
  const copied = await persistently(
    async () => {
      const ours = await copyOutputFiles(success, output.kind, copy, output.max_files);
      await keepOutputs(context.db, idsOf(stored));
      return withMeasuredFiles(ours, [...stored.values()]);
    },
    (error, tries) => {
      bounds.onFailure?.(error);
      context.log.warn(
        { err: error, executionId: run.id, attemptId: run.attemptId, tries },
        'an output file was not copied',
      );
    },
    signal,
    bounds.pausesMs,
  );
  for (const id of copied ? idsOf(stored) : []) begun.delete(id);
  await dropCopies(context, run, [...begun]);
  return copied && { success: copied, files: idsOf(stored) };
}

/** A copy that waits for its turn. What was copied at an earlier try is not copied again. */
function copier(
  { organizationId }: CopiedRun,
  stored: Map<string, StoredFile>,
  store: (url: string) => Promise<StoredFile>,
  signal: AbortSignal,
): (url: string) => Promise<StoredFile> {
  const ofRun = createTurns(mostOfRun);
  async function copy(url: string): Promise<StoredFile> {
    signal.throwIfAborted();
    const file = await store(url);
    stored.set(url, file);
    return file;
  }
  const inTurn = (url: string) => copies(organizationId, () => copy(url));
  return async (url) => stored.get(url) ?? (await ofRun('this one', () => inTurn(url)));
}

function idsOf(stored: Map<string, StoredFile>): string[] {
  return [...stored.values()].map(({ file_id: id }) => id);
}

/** At once; should it fail, those that nobody has kept yet go when their day is over. */
export async function dropCopies(
  { db, log }: Pick<Copying, 'db' | 'log'>,
  { id, attemptId }: CopiedRun,
  files: string[],
): Promise<void> {
  await dropOutputs(db, files).catch((error: unknown) =>
    log.warn({ err: error, executionId: id, attemptId }, 'what was stored of an output was not dropped'),
  );
}

/**
 * The host of the provider that made them, wherever it is. Not for `raw` output: a model that gives back what it was sent
 * would let a client choose the URL.
 */
function trustedHosts({ connections }: Copying, { output }: ModelDefinition, route: ProviderRoute): string[] {
  const connection = connections[route.connection];
  return connection && output.kind !== 'raw' ? [trustedHost(connection)] : [];
}
