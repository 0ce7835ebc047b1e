import { limits } from '@holdfast/domain/limits';
import { mappingOf } from '@holdfast/domain/modelDefinition';
import type { Telling } from '@holdfast/providers/interface';
import { logLine, type Secrets } from '@holdfast/providers/outcome/raw';
import type { Context } from './context.ts';
import type { Route } from './route.ts';
import type { Run } from './submission.ts';

/** Passes on what a provider tells of a run: at its end with the last line of its log, before only with whole ones. */
export async function tell(
  context: Context,
  { definition, route }: Route,
  run: Run,
  telling: Telling,
  isEnd: boolean,
): Promise<void> {
  const { progress, queuePosition, logs } = telling;
  if (progress === undefined && queuePosition === undefined && logs === undefined) return;
  await context.recorder.recordProgress({
    attemptId: run.attemptId,
    executionId: run.id,
    ...storable(telling),
    ...newLog(logs ?? '', run.logged, isEnd, secretsOf(context, route, run)),
    isShown: mappingOf(definition, route).show?.includes('logs') ?? false,
  });
}

/** With the token of the attempt, which authenticates callbacks: whoever reads the log must not be able to make one up. */
export function secretsOf(
  { connections }: Pick<Context, 'connections'>,
  { connection }: Pick<Route['route'], 'connection'>,
  { attemptToken: token }: Pick<Run, 'attemptToken'>,
): Secrets {
  const { baseUrl = '', apiKey = null, settings = {} } = connections[connection] ?? {};
  return { baseUrl, apiKey, settings: { ...settings, token } };
}

const maxInt4 = 2_147_483_647;

/** Figures as the columns hold them: one that they can't would take what is written with it along. */
export function storable({ progress, queuePosition }: Pick<Telling, 'progress' | 'queuePosition'>): {
  progress: number | null;
  queuePosition: number | null;
} {
  const share = Math.min(1, Math.max(0, progress ?? Number.NaN));
  const place = Math.min(maxInt4, Math.max(0, Math.trunc(queuePosition ?? Number.NaN)));
  return {
    // A share of less than a millionth is too small for some columns.
    progress: Number.isNaN(share) ? null : Math.round(share * 1e6) / 1e6,
    queuePosition: Number.isNaN(place) ? null : place,
  };
}

/** What is new in a log since its first `logged` characters, line by line without our keys. */
export function newLog(
  log: string,
  logged: number,
  isEnd: boolean,
  secrets: Secrets,
): { logs: string; logged: number } {
  const until = isEnd ? log.length : log.lastIndexOf('\n') + 1;
  if (until <= logged) return { logs: '', logged };
  const fresh = log.slice(Math.max(logged, until - limits.logLength), until).replace(/\n$/, '');
  const lines = fresh.split('\n').map((line) => logLine(line, secrets));
  return { logs: `${lines.join('\n')}\n`, logged: until };
}
