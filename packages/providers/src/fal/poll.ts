import type { Outcome, OutcomeMapping } from '@holdfast/domain/outcome';
import type { TrustedResult } from '@holdfast/egress/trusted';
import { z } from 'zod';
import type { HttpResponse } from '../connection.ts';
import type { Ended, RunProgress } from '../interface.ts';
import { failure } from '../outcome/failure.ts';
import { responseText, type Secrets, withRaw } from '../outcome/raw.ts';
import { progressOfLogs } from '../progress.ts';
import { failedBy, falErrorInResponse, falErrorOf, isBad, isReported } from './errors.ts';
import { outcomeOfOutput } from './output.ts';

const logLine = z.object({ message: z.string().catch('') });
const states = ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED'] as const;
const status = z.object({
  status: z.enum(states),
  queue_position: z.int().nonnegative().nullish().catch(null),
  logs: z.array(logLine).nullish().catch(null),
  metrics: z.object({ inference_time: z.number().nonnegative() }).nullish().catch(null),
  error: z.string().nullish().catch(null),
  error_type: z.string().nullish().catch(null),
});
const wrapped = z.object({ status: z.enum(states), response: z.unknown().optional() });

export type RunStatus = z.infer<typeof status>;

export function readStatus(result: TrustedResult): RunStatus | null {
  return result.ok && result.status < 300 ? (status.safeParse(result.json).data ?? null) : null;
}

export function progressIn({ queue_position: queuePosition, logs }: RunStatus): RunProgress {
  const reported = progressOfLogs(logs?.map(({ message }) => message).join('\n'));
  return { ...reported, ...(typeof queuePosition === 'number' && { queuePosition }) };
}

/** Whether the run certainly does not exist: a queue may need a moment to list a new one. */
export function isGone(result: TrustedResult, startedAtMs: number): boolean {
  return result.ok && result.status === 404 && Date.now() - startedAtMs > 60_000;
}

/** The end of a COMPLETED run, from the model's own HTTP status. Null: fetch it again, because it is paid for. */
export function readResult(
  result: TrustedResult,
  completed: RunStatus,
  mapping: OutcomeMapping,
  secrets: Secrets,
): Ended | null {
  if (!result.ok && result.reason !== 'too_large') return null;
  const ended = (outcome: Outcome) => withLog({ state: 'ended', outcome }, completed);
  if (!result.ok) return ended(failure('GENERATION_FAILED', 'The output of the model is too large.'));
  if (isUnderWay(result)) return null;
  const output = unwrapped(result.json);
  if (completed.error || completed.error_type) {
    const falError = falErrorOf(completed.error ?? null, completed.error_type ?? null, output);
    const said = `${completed.error_type ?? ''} ${completed.error ?? ''} ${responseText(result)}`.trim();
    const status = falError.status ?? errorStatus(result);
    return withLog(failedBy({ ...falError, status }, mapping, secrets, said), completed);
  }
  if (result.status < 300) {
    if (output === undefined) return null;
    const outcome = outcomeOfOutput(output, mapping, completed.metrics?.inference_time ?? null);
    return ended(outcome.ok ? outcome : withRaw(outcome, responseText(result), secrets));
  }
  const falError = falErrorInResponse({ ...result, json: output });
  if (!isReported(falError) && !isBad(result.status)) return null;
  return withLog(failedBy(falError, mapping, secrets, responseText(result)), completed);
}

function withLog(end: Ended, completed: RunStatus): Ended {
  const { logs } = progressIn(completed);
  return { ...end, ...(logs !== undefined && { logs }) };
}

function isUnderWay({ status: code, json }: HttpResponse): boolean {
  const detail = z.object({ detail: z.string() }).safeParse(json).data?.detail ?? '';
  return (
    (code === 400 && /in progress/i.test(detail)) ||
    wrapped.safeParse(json).data?.status.startsWith('IN_') === true
  );
}

function unwrapped(json: unknown): unknown {
  const read = wrapped.safeParse(json).data;
  return read !== undefined && 'response' in read ? read.response : json;
}

function errorStatus({ status: code }: HttpResponse): number | null {
  return code < 300 ? null : code;
}
