import { limits } from '@holdfast/domain/limits';
import type { Telling } from '@holdfast/providers/interface';
import { type Secrets, scrub } from '@holdfast/providers/outcome/scrub';
import type { Context } from './context.ts';
import type { Route } from './route.ts';
import type { Run } from './submission.ts';

/** Passes on what a provider tells of a run: at its end with the last line of its log, before only with whole ones. */
export async function tell(
  context: Context,
  { route }: Route,
  run: Run,
  telling: Telling,
  isEnd: boolean,
): Promise<void> {
  const { progress, queuePosition, logs } = telling;
  if (progress === undefined && queuePosition === undefined && logs === undefined) return;
  const { baseUrl = '', apiKey = null } = context.connections[route.connection] ?? {};
  await context.progress.record({
    attemptId: run.attemptId,
    executionId: run.id,
    progress: progress === undefined ? null : Math.min(1, Math.max(0, progress)),
    queuePosition: queuePosition ?? null,
    ...newLog(logs ?? '', run.logged, isEnd, { baseUrl, apiKey, providerModel: route.model }),
  });
}

/** What is new in a log since its first `logged` characters, line by line as a client may see it. */
export function newLog(
  log: string,
  logged: number,
  isEnd: boolean,
  secrets: Secrets,
): { logs: string; logged: number } {
  const until = isEnd ? log.length : log.lastIndexOf('\n') + 1;
  if (until <= logged) return { logs: '', logged };
  const fresh = log.slice(Math.max(logged, until - limits.logLength), until).replace(/\n$/, '');
  const lines = fresh.split('\n').map((line) => scrub(line, secrets));
  return { logs: `${lines.join('\n')}\n`, logged: until };
}
