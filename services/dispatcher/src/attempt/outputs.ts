import { dropOutputs, keepOutputs } from '@holdfast/db/files';
import { limits } from '@holdfast/domain/limits';
import type { OutputKind } from '@holdfast/domain/modelResponse';
import type { Success } from '@holdfast/domain/outcome';
import { DownloadError } from '@holdfast/egress/download';
import { createFairLimiter } from '@holdfast/kit/fairLimiter';
import type { Logger } from '@holdfast/kit/logger';
import { retry } from '@holdfast/kit/retry';
import { heldBody, type OutputBody } from '@holdfast/providers/outputBody';
import {
  copyOutputFiles,
  hasOutputFiles,
  type StoredFile,
  trustedHosts,
  UnusableOutput,
} from '@holdfast/providers/outputFiles';
import { type Files, type OutputRules, storeOutput } from './outputFile.ts';
import type { Route } from './route.ts';
import type { Attempt } from './submission.ts';

export type CopyBounds = {
  timeoutMs: number;
  pausesMs?: number[];
  maxTotalBytes: number;
  onFailure?: (error: unknown) => void;
};

export const defaultBounds: CopyBounds = { timeoutMs: 120_000, maxTotalBytes: 1024 ** 3 };

// The provider has already been paid, so the copy waits half a minute for a store, database or host that restarts.
const defaultPausesMs = [500, 1000, 2000, 4000, 8000, 15_000];

/** Limits the copies of this process, which share its memory. */
export const copies = createFairLimiter(64, 32);
const maxCopiesOfRun = 8;

export type ProducedOutput = { outcome: Success; bodies?: readonly OutputBody[] };

/** Copies all files of an output into our store, or none. Null when one can't be copied, or the signal aborts. */
export async function copyOutput(
  files: Files,
  log: Logger,
  { definition: { output }, connection }: Pick<Route, 'definition' | 'connection'>,
  attempt: Pick<Attempt, 'executionId' | 'attemptId' | 'organizationId'>,
  produced: ProducedOutput,
  signal: AbortSignal,
  bounds = defaultBounds,
): Promise<{ success: Success; drop(): Promise<void> } | null> {
  const { executionId, attemptId } = attempt;
  const { outcome, bodies = [] } = output.kind === 'text' ? withLongText(produced) : produced;
  const bodiesByReference = new Map(bodies.map((body) => [body.reference, body]));
  if (!hasOutputFiles(outcome.output, output, bodiesByReference))
    return signal.aborted ? null : { success: outcome, drop: async () => {} };
  const started = new Set<string>();
  const stored = new Map<number, StoredFile>();
  const rules: OutputRules = {
    kind: output.kind === 'text' ? 'files' : output.kind,
    maxFileBytes: output.max_file_bytes,
    timeoutMs: bounds.timeoutMs,
    // A `raw` model may return what it was sent, so a client could choose the host of what is not named as a file.
    trustedHosts: output.kind === 'raw' && output.files === undefined ? [] : trustedHosts(connection),
    bodies: bodiesByReference,
    left: { bytes: bounds.maxTotalBytes },
    onStart: (id) => started.add(id),
  };
  const copy = createCopier(
    attempt,
    stored,
    (url) => storeOutput(files, attempt, url, rules, signal),
    signal,
  );
  const work = async () => {
    const success = await copyOutputFiles(outcome, output, copy, output.max_files, bodiesByReference);
    await keepOutputs(files.db, idsOf(stored));
    return withMeasuredFiles(success, [...stored.values()], output.kind);
  };
  const success = await retry(work, {
    delaysMs: bounds.pausesMs ?? defaultPausesMs,
    signal,
    isRetryable: isRetryableCopy,
    onFailure(error, { tries }) {
      bounds.onFailure?.(error);
      log.warn({ err: error, executionId, attemptId, tries }, 'could not copy an output file');
    },
  }).catch(() => null);
  const kept = success ? idsOf(stored) : [];
  const drop = (ids: string[]) =>
    dropOutputs(files.db, ids).catch((error: unknown) => {
      log.warn({ err: error, executionId, attemptId }, 'could not drop the copies of an output');
    });
  // Copies that can't be dropped now are removed a day later, unless they were kept.
  await drop([...started].filter((id) => !kept.includes(id)));
  return success && { success, drop: () => drop(kept) };
}

/** A text that is too long to be stored with its execution becomes a file, and the execution has its beginning. */
function withLongText({ outcome, bodies }: ProducedOutput): ProducedOutput {
  const { text } = outcome.output;
  if (typeof text !== 'string' || isShort(outcome.output)) return { outcome, ...(bodies && { bodies }) };
  const body = heldBody(new Blob([text]), 'text/plain');
  const output = { text: beginningOf(text), text_file: body.reference };
  return { outcome: { ...outcome, output }, bodies: [body] };
}

/** Most texts need not be written as JSON to be measured: it has at most two characters for each, but six for some. */
function isShort({ text, ...others }: Record<string, unknown>): boolean {
  const perCharacter = takesSix.test(String(text)) ? 6 : 2;
  const most = JSON.stringify({ ...others, text: '' }).length + perCharacter * String(text).length;
  return most <= limits.outputLength || JSON.stringify({ ...others, text }).length <= limits.outputLength;
}

// oxlint-disable-next-line no-control-regex -- control characters without a short escape, and surrogates, which may be lone
const takesSix = /[\0-\x07\x0b\x0e-\x1f\ud800-\udfff]/;

const shownCharacters = 65_536;

/** Without half of a surrogate pair. */
const beginningOf = (text: string) => text.slice(0, shownCharacters).replace(/[\ud800-\udbff]$/, '');

/** Files that an earlier try copied are not copied again. */
function createCopier(
  { organizationId }: Pick<Attempt, 'organizationId'>,
  stored: Map<number, StoredFile>,
  store: (url: string) => Promise<StoredFile>,
  signal: AbortSignal,
): (url: string, index: number) => Promise<StoredFile> {
  const copiesOfRun = createFairLimiter(maxCopiesOfRun);
  async function copy(url: string, index: number): Promise<StoredFile> {
    signal.throwIfAborted();
    const file = await store(url);
    stored.set(index, file);
    return file;
  }
  return async (url, index) =>
    stored.get(index) ?? (await copiesOfRun('run', () => copies(organizationId, () => copy(url, index))));
}

export function isRetryableCopy(error: unknown): boolean {
  if (error instanceof UnusableOutput) return false;
  if (!(error instanceof DownloadError) || error.stage === 'network') return true;
  return error.stage === 'status' && (error.status === null || error.status >= 500 || error.status === 429);
}

/**
 * Adds what the price may depend on: the pixels and the seconds of the stored files, which count instead of what the
 * provider reported of them. Clips and images of which one can't be measured count as not measured.
 */
export function withMeasuredFiles(success: Success, files: readonly StoredFile[], kind: OutputKind): Success {
  const hasPixels = kind === 'images' || kind === 'videos';
  const hasLength = kind === 'audios' || kind === 'videos';
  const pixels = sumOf(files, hasPixels, ({ width = 0, height = 0 }) => width * height);
  const ms = sumOf(files, hasLength, ({ duration = 0 }) => Math.round(duration * 1000));
  const measured = {
    ...success.measured,
    ...(ms > 0 && { outputSeconds: ms / 1000 }),
    ...(pixels > 0 && { megapixels: pixels / 1_000_000 }),
  };
  return { ...success, measured };
}

/** 0 if all files must have the measure and one has not. */
function sumOf(
  files: readonly StoredFile[],
  isOfAll: boolean,
  measure: (file: StoredFile) => number,
): number {
  const measures = files.map(measure);
  return isOfAll && measures.includes(0) ? 0 : measures.reduce((sum, one) => sum + one, 0);
}

function idsOf(stored: Map<number, StoredFile>): string[] {
  return [...stored.values()].map(({ file_id: id }) => id);
}
