import { limits } from '@holdfast/domain/limits';
import { mappingOf } from '@holdfast/domain/outcome';
import type { AttemptRecorder } from '@holdfast/executions/attemptRecorder';
import type { Logger } from '@holdfast/kit/logger';
import type { Progress, RunProgress } from '@holdfast/providers/interface';
import { logLine, type Secrets } from '@holdfast/providers/outcome/raw';
import type { Route } from './route.ts';
import { type Attempt, cancelTimeoutMs } from './submission.ts';

/** If the execution has ended meanwhile, the run is cancelled. */
export async function recordRunning(
  recorder: AttemptRecorder,
  log: Logger,
  route: Route,
  attempt: Attempt,
  progress: Extract<Progress, { state: 'running' }>,
): Promise<void> {
  const { handle, by, pollAfterMs, isSteady } = progress;
  const { executionId, attemptId, model } = attempt;
  const line = { executionId, attemptId, model, by };
  // An attempt with a handle was accepted earlier.
  if (attempt.handle) log.debug(line, 'run polled');
  else log.info(line, 'run accepted by its provider');
  const isRecorded = await recorder.recordRunning({
    attemptId,
    handle,
    awaitsCallback: by === 'callback',
    pollAfterMs,
    ...(isSteady && { isSteady }),
  });
  // The cancel request that came with the end may have reached the provider before the run.
  if (!isRecorded) await route.provider.cancel(handle, AbortSignal.timeout(cancelTimeoutMs));
}

export async function recordProgress(
  recorder: Pick<AttemptRecorder, 'recordProgress'>,
  { definition, route, connection }: Pick<Route, 'definition' | 'route' | 'connection'>,
  attempt: Attempt,
  progress: Progress,
): Promise<void> {
  if (progress.state !== 'running' && progress.state !== 'ended') return;
  const run: RunProgress = progress;
  if (run.progress === undefined && run.queuePosition === undefined && run.logs === undefined) return;
  const secrets = secretsOf({ connection }, attempt);
  await recorder.recordProgress({
    attemptId: attempt.attemptId,
    executionId: attempt.executionId,
    ...storable(run),
    ...newLog(run.logs ?? '', attempt.logged, progress.state === 'ended', secrets),
    isShown: mappingOf(definition, route).show?.includes('logs') ?? false,
  });
}

/** With the attempt's token, which authenticates callbacks: a reader of the log must not be able to forge one. */
export function secretsOf(
  { connection: { baseUrl, apiKey, settings } }: Pick<Route, 'connection'>,
  { attemptToken: token }: Pick<Attempt, 'attemptToken'>,
): Secrets {
  return { baseUrl, apiKey, settings: { ...settings, token } };
}

const maxInt4 = 2_147_483_647;

/** In the range of their columns, also of small shares: one that is out of range would fail the whole batch. */
export function storable({ progress, queuePosition }: Pick<RunProgress, 'progress' | 'queuePosition'>): {
  progress: number | null;
  queuePosition: number | null;
} {
  const share = Math.min(1, Math.max(0, progress ?? Number.NaN));
  const position = Math.min(maxInt4, Math.max(0, Math.trunc(queuePosition ?? Number.NaN)));
  return {
    progress: Number.isNaN(share) ? null : Math.round(share * 1e6) / 1e6,
    queuePosition: Number.isNaN(position) ? null : position,
  };
}

/** What a log has beyond its first `logged` characters, in whole lines and without our keys. */
export function newLog(
  log: string,
  logged: number,
  hasEnded: boolean,
  secrets: Secrets,
): { logs: string; logged: number } {
  const until = hasEnded ? log.length : log.lastIndexOf('\n') + 1;
  if (until <= logged) return { logs: '', logged };
  const fresh = log.slice(Math.max(logged, until - limits.logLength), until).replace(/\n$/, '');
  const lines = fresh.split('\n').map((line) => logLine(line, secrets));
  return { logs: `${lines.join('\n')}\n`, logged: until };
}
