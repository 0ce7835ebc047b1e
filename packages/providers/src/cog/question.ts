import type { TrustedHttp, TrustedResult } from '@holdfast/egress/trusted';
import type { Handle, Telling } from '../interface.ts';
import { tellingOfLogs } from '../outcome/telling.ts';
import { type Prediction, readPrediction } from './prediction.ts';

/** What a container says of a run that it was sent. */
export type Found =
  /** It is at it. */
  | { kind: 'running'; telling: Telling; pauseMs: number }
  /** It never had it, or has forgotten it: it does at its end. */
  | { kind: 'absent' }
  /** A server that remembers what has ended: the sandbox of the version before. */
  | { kind: 'ended'; prediction: Prediction }
  /** No process listens at its address. */
  | { kind: 'down' }
  | { kind: 'unknown'; result: TrustedResult };

const answerWithinMs = 10_000;
/** Between two questions: their answers show how far the run is. */
export const questionEveryMs = 5000;
/** An answer repeats the input. One that holds whole files is asked for less often. */
const usualChars = 262_144;
const longestPauseMs = 60_000;

/**
 * Asks about a run by a PUT of its id whose input is no object: a run under way is shown and goes on, and no other run can
 * begin by it. Cog has no GET.
 */
export async function askAbout(
  http: TrustedHttp,
  { path, externalId }: Handle,
  signal: AbortSignal,
): Promise<Found> {
  const result = await http.request('PUT', `${path}/predictions/${externalId}`, {
    json: { input: [] },
    timeoutMs: answerWithinMs,
    signal,
  });
  if (!result.ok) return result.code === 'ECONNREFUSED' ? { kind: 'down' } : { kind: 'unknown', result };
  // With a schema of its input a container refuses what does not fit it; a busy one refuses before it looks.
  if (result.status === 422 || result.status === 409) return { kind: 'absent' };
  const prediction = result.status < 300 ? readPrediction(result.json) : null;
  if (prediction?.id !== externalId) return { kind: 'unknown', result };
  const { status, logs } = prediction;
  if (status === 'failed') return { kind: 'absent' };
  if (status !== 'starting' && status !== 'processing') return { kind: 'ended', prediction };
  const share = Math.ceil(result.bodyText.length / usualChars);
  return {
    kind: 'running',
    telling: tellingOfLogs(logs),
    pauseMs: Math.min(questionEveryMs * share, longestPauseMs),
  };
}
