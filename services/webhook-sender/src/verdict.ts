import type { AttemptRecord, StartedAttempt } from '@holdfast/db/webhooks/attempts';
import { limits } from '@holdfast/domain/limits';
import type { PostResult } from '@holdfast/egress/post';
import type { Reaction } from './limit.ts';
import type { Unprepared } from './message.ts';

export type Result = PostResult | Unprepared;

export type Verdict = Omit<AttemptRecord, keyof StartedAttempt | 'endpointId' | 'isProbe' | 'inFlightLimit'>;

/** What the result of an attempt means: 2xx is a success, everything else a failure; 410 stops all further attempts. */
export function judge(
  result: Result,
  delivery: { attempts: number; endpointId: string | null },
  delaysS: number[],
): Verdict {
  const statusCode = result.ok ? result.status : null;
  const ok = statusCode !== null && statusCode >= 200 && statusCode <= 299;
  const isGone = statusCode === 410;
  const retryAfter = result.ok && !ok ? retryAfterS(result.headers['retry-after']) : 0;
  // Unlike an endpoint, a `webhook_url` that is gone has no owner who could activate it again.
  const isFinal = ok || (isGone && delivery.endpointId === null);
  // The service stops: another sender makes this attempt again.
  const isStopped = !result.ok && result.stage === 'aborted';
  return {
    ok,
    isGone,
    countsForEndpoint: result.ok || !isOurFault(result),
    durationMs: result.durationMs,
    statusCode,
    error: ok ? null : errorOf(result),
    stage: ok ? null : result.ok ? 'response' : result.stage,
    response: result.ok ? responseText(result.body) || null : null,
    nextDelayS: isFinal
      ? null
      : isStopped
        ? 0
        : nextDelayS({ attempts: delivery.attempts, delaysS, retryAfterS: retryAfter }),
    retryAfterS: retryAfter,
  };
}

/** What the result says of the receiver's load. */
export function reactionOf(result: Result, { ok, countsForEndpoint }: Verdict): Reaction {
  if (ok) return 'accepted';
  if (!countsForEndpoint) return 'ours';
  const isRefusal = result.ok ? result.status < 500 && result.status !== 429 : result.stage === 'policy';
  return isRefusal ? 'refused' : 'overloaded';
}

const ourStages = ['aborted', 'unprepared'];

/** A broken proxy of ours would otherwise deactivate every endpoint. */
function isOurFault(result: Extract<Result, { ok: false }>): boolean {
  return ourStages.includes(result.stage) || ('isOwnFault' in result && result.isOwnFault);
}

/** Shown to the endpoint's owner. A certificate may put any character into a message, and PostgreSQL refuses NUL. */
export function errorOf(result: Result): string {
  const text = result.ok ? `responded with ${result.status}` : withStage(result);
  return text.replace(/\p{Cc}/gu, ' ').slice(0, 500);
}

/** Node's `connect ECONNREFUSED …` already names the stage. */
function withStage({ stage, message }: Extract<Result, { ok: false }>): string {
  return message.startsWith(`${stage} `) ? message : `${stage}: ${message}`;
}

const jitter = 0.2;

/** Contract 8.6: the scheduled delay +-20 %, at least the receiver's `Retry-After`; null after the last attempt. */
export function nextDelayS(args: {
  attempts: number;
  delaysS: number[];
  retryAfterS: number;
  random?: () => number;
}): number | null {
  const { attempts, delaysS, random = Math.random } = args;
  const delayS = delaysS[attempts];
  if (delayS === undefined) return null;
  return Math.max(delayS * (1 - jitter + 2 * jitter * random()), args.retryAfterS);
}

const maxRetryAfterS = 3600;

/** The seconds of a `Retry-After` header, a number or a date: 0 without one, at most an hour. */
export function retryAfterS(header: string | undefined, nowMs = Date.now()): number {
  const text = header?.trim() ?? '';
  if (text === '') return 0;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - nowMs) / 1000;
  return Number.isNaN(seconds) ? 0 : Math.min(Math.max(seconds, 0), maxRetryAfterS);
}

const maxBytes = limits.loggedResponseBytes;

/** A body in which more than one character in ten is not text counts as binary. */
const binaryShare = 10;

/** The first 4096 bytes as UTF-8 that PostgreSQL can store and a terminal can print, or `<binary, 1234 bytes>`. */
export function responseText(body: Buffer): string {
  // Three bytes more, so that a character at the limit is whole and the text is known to be too long.
  const text = body.subarray(0, maxBytes + 3).toString('utf8');
  if (plain.test(text) && text.length <= maxBytes) return text;
  const clean = text.replace(unprintable, '\ufffd');
  return isBinary(text, clean) ? `<binary, ${body.length} bytes>` : cut(clean);
}

const plain = /^[\t\n\r\x20-\x7e]*$/;
const unprintable = /[^\P{Cc}\t\n\r]|[\u202a-\u202e\u2066-\u2069]/gu;

function isBinary(text: string, clean: string): boolean {
  if (text.includes('\0')) return true;
  let replaced = 0;
  for (const character of clean) if (character === '\ufffd') replaced += 1;
  return replaced * binaryShare > clean.length;
}

function cut(text: string): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const bytes = Buffer.from(text);
  let end = maxBytes;
  // A byte of the form 10xxxxxx belongs to the character before it.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
