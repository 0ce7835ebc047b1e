import type { AttemptRecord } from '@holdfast/db/webhooks/attempts';
import type { PostResult } from '@holdfast/egress/post';
import { answerText } from './answerText.ts';
import { retryAfterS } from './retryAfter.ts';
import { nextDelayS } from './schedule.ts';
import type { Unprepared } from './send.ts';

export type Result = PostResult | Unprepared;

export type Verdict = Omit<AttemptRecord, 'id' | 'attempts' | 'number' | 'endpointId' | 'isProbe'>;

/** What an attempt's result means: 2xx is success, all else failure; 410 asks for no more. */
export function judge(
  result: Result,
  delivery: { attempts: number; endpointId: string | null },
  delaysS: number[],
): Verdict {
  const statusCode = result.ok ? result.status : null;
  const ok = statusCode !== null && statusCode >= 200 && statusCode <= 299;
  const isGone = statusCode === 410;
  const askedS = result.ok && !ok ? retryAfterS(result.headers['retry-after']) : 0;
  // A `webhook_url` that is gone has no owner to bring it back.
  const isOver = ok || (isGone && delivery.endpointId === null);
  return {
    ok,
    isGone,
    countsForEndpoint: result.ok || !isOurFault(result),
    durationMs: result.durationMs,
    statusCode,
    error: ok ? null : errorOf(result),
    stage: ok ? null : result.ok ? 'response' : result.stage,
    answer: result.ok ? answerText(result.body) || null : null,
    nextDelayS: isOver ? null : nextDelayS({ attempts: delivery.attempts, delaysS, retryAfterS: askedS }),
    retryAfterS: askedS,
  };
}

/** Stages at which an attempt ended that say nothing of the receiver. */
const ourFaults = ['aborted', 'unprepared'];

/** Without a proxy that works every endpoint would fail, and be turned off. */
function isOurFault(result: Extract<Result, { ok: false }>): boolean {
  return ourFaults.includes(result.stage) || ('isOwnFault' in result && result.isOwnFault);
}

/** Shown to the endpoint's owner. A certificate may put anything into a message, NUL too, which the database refuses. */
export function errorOf(result: Result): string {
  const text = result.ok ? `answered ${result.status}` : staged(result);
  return text.replace(/\p{Cc}/gu, ' ').slice(0, 500);
}

/** Node's `connect ECONNREFUSED …` names the stage itself. */
function staged({ stage, message }: Extract<Result, { ok: false }>): string {
  return message.startsWith(`${stage} `) ? message : `${stage}: ${message}`;
}
