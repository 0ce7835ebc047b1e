import type { Logger } from '@holdfast/kit/logger';
import { backoff, retry } from '@holdfast/kit/retry';

/** What an error of the database means for the work that met it. */
export type Fault =
  /** No session could be opened, or it broke: the work may have been done or not. */
  | 'unreachable'
  /** The server takes no writes: a standby, or a primary that a failover demoted. */
  | 'read-only'
  /** No disk space, memory or connections left. */
  | 'exhausted'
  /** Another transaction stood in the way: a deadlock, a failed serialization. */
  | 'conflict'
  /** The statement, or its wait for a lock, took too long and was ended. */
  | 'slow'
  /** The login or a certificate was refused: an operator may be rotating it. */
  | 'not trusted'
  /** A constraint or a value was refused, and would be refused again. */
  | 'refused';

export const readOnlyState = '25006';
export const lockNotAvailable = '55P03';

/**
 * The one list of error codes that anyone judges by: SQLSTATEs, whole classes of them (their first two characters), and
 * the codes that Prisma gives to errors without one. Everything else is a bug, ours or the operator's.
 */
const faults: Readonly<Record<string, Fault>> = {
  '08': 'unreachable',
  '22': 'refused',
  '23': 'refused',
  [readOnlyState]: 'read-only',
  // A transaction that was idle, or open, for too long loses its session.
  '25P03': 'unreachable',
  '25P04': 'unreachable',
  '28000': 'not trusted',
  '28P01': 'not trusted',
  '40': 'conflict',
  '53': 'exhausted',
  [lockNotAvailable]: 'slow',
  // Shutdowns, crashes, servers that are starting, sessions that were ended.
  '57': 'unreachable',
  '57014': 'slow',
  '58030': 'exhausted',
  P1000: 'not trusted',
  P1001: 'unreachable',
  P1002: 'unreachable',
  P1008: 'unreachable',
  P1011: 'not trusted',
  P1017: 'unreachable',
  P2024: 'unreachable',
};

const networkCode =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|ETIMEDOUT|EPIPE|EAI_AGAIN)$/;
const certificateCode =
  /^(CERT_.*|ERR_TLS_.*|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*)$/;
/** What `pg` says without a code. */
const poolMessage =
  /timeout exceeded when trying to connect|Query read timeout|Connection terminated|is not queryable/;

/** Null for what is none: a bug, or an error of something else. */
export function faultOf(error: unknown): Fault | null {
  if (error === null || typeof error !== 'object') return null;
  const { code, syscall, message, cause, errors } = error as Partial<Record<string, unknown>>;
  const own = faultOfState(sqlStateOf(error)) ?? faultOfCode(code, syscall);
  if (own !== null) return own;
  if (typeof message === 'string' && poolMessage.test(message)) return 'unreachable';
  const inner = Array.isArray(errors) ? errors : [cause];
  return inner.map(faultOf).find((fault) => fault !== null) ?? null;
}

/** Whether the same work may succeed soon: it is to be tried again, or its client told to. */
export function isTransient(error: unknown): boolean {
  const fault = faultOf(error);
  return fault !== null && fault !== 'refused';
}

/** Retries a write for `forMs` while its error is transient. @throws the last error, or a permanent one at once */
export async function retryTransient<Result>(
  log: Logger,
  forMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  return await retry(work, {
    delaysMs: backoff(100, 1000),
    forMs,
    isRetryable: isTransient,
    onFailure(error, { willRetry }) {
      if (willRetry) log.warn({ err: error }, 'write failed; retrying');
    },
  });
}

/** Whether the database refused what a statement would have written, and would do so again. */
export function isRefusal(error: unknown): error is Error {
  return faultOf(error) === 'refused';
}

/** Prisma gives codes of its own, and keeps the server's in what its adapter threw. */
function sqlStateOf(error: object): unknown {
  const { code, meta } = error as { code?: unknown; meta?: { driverAdapterError?: { cause?: unknown } } };
  return Object(meta?.driverAdapterError?.cause).originalCode ?? code;
}

function faultOfState(state: unknown): Fault | null {
  if (typeof state !== 'string' || !/^[0-9A-Z]{5}$/.test(state)) return null;
  return faults[state] ?? faults[state.slice(0, 2)] ?? null;
}

function faultOfCode(code: unknown, syscall: unknown): Fault | null {
  if (typeof code !== 'string') return null;
  if (certificateCode.test(code)) return 'not trusted';
  const isMissingSocket = code === 'ENOENT' && syscall === 'connect';
  return isMissingSocket || (networkCode.test(code) && syscall !== undefined) ? 'unreachable' : null;
}
