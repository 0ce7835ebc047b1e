import { dropOutputs, keepOutputs } from '@holdfast/db/files';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { ProviderRoute } from '@holdfast/domain/modelRoute';
import type { Success } from '@holdfast/domain/outcome';
import { trustedHosts } from '@holdfast/providers/connection';
import type { OutputBody } from '@holdfast/providers/outputBody';
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

/** What a provider made: a success, and those of its files that came in the answer itself. */
export type Made = { outcome: Success; bodies?: readonly OutputBody[] };

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
  { outcome, bodies = [] }: Made,
  signal: AbortSignal,
  bounds = usualBounds,
): Promise<Copied | null> {
  const { output } = definition;
  const held = new Map(bodies.map((body) => [body.reference, body]));
  const begun = new Set<string>();
  const stored = new Map<number, StoredFile>();
  const terms: Terms = {
    kind: output.kind,
    maxFileBytes: output.max_file_bytes,
    timeoutMs: bounds.timeoutMs,
    trustedHosts: hostsOf(context, definition, route),
    bodies: held,
    left: { bytes: bounds.maxTotalBytes },
    begun: (id) => begun.add(id),
  };
  const copy = copier(run, stored, (url) => storeOutput(context, run, url, terms, signal), signal);
  const copied = await persistently(
    async () => {
      const references = new Set(held.keys());
      const ours = await copyOutputFiles(outcome, output.kind, copy, output.max_files, references);
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
  stored: Map<number, StoredFile>,
  store: (url: string) => Promise<StoredFile>,
  signal: AbortSignal,
): (url: string, place: number) => Promise<StoredFile> {
  const ofRun = createTurns(mostOfRun);
  async function copy(url: string, place: number): Promise<StoredFile> {
    signal.throwIfAborted();
    const file = await store(url);
    stored.set(place, file);
    return file;
  }
  const inTurn = (url: string, place: number) => copies(organizationId, () => copy(url, place));
  return async (url, place) => stored.get(place) ?? (await ofRun('this one', () => inTurn(url, place)));
}

function idsOf(stored: Map<number, StoredFile>): string[] {
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
 * The hosts of the provider that made them, wherever they are. Not for `raw` output: a model that gives back what it was sent
 * would let a client choose the URL.
 */
function hostsOf({ connections }: Copying, { output }: ModelDefinition, route: ProviderRoute): string[] {
  const connection = connections[route.connection];
  return connection && output.kind !== 'raw' ? trustedHosts(connection) : [];
}
