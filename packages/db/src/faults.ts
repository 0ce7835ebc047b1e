import type { Logger } from '@holdfast/kit/logger';
import { backoff, retry } from '@holdfast/kit/retry';
import pg from 'pg';

export type Fault =
  /** No session, or it broke: the work may have been done. */
  | 'unreachable'
  /** A standby, or a primary demoted by a failover. */
  | 'read-only'
  | 'exhausted'
  | 'conflict'
  | 'slow'
  /** Login or certificate refused: perhaps it is being rotated. */
  | 'not trusted'
  /** A constraint or an invalid value: permanent. */
  | 'rejected';

export const readOnlyState = '25006';
/** Transient, as if the server had refused a write: another one is the primary, or will be. */
export const staleServerError = (message: string) =>
  Object.assign(new Error(message), { code: readOnlyState });

const lockNotAvailable = '55P03';

/** Another transaction held a lock for longer than `lock_timeout`. */
export const isLockTimeout = (error: unknown): boolean => Object(error).code === lockNotAvailable;

// SQLSTATEs, SQLSTATE classes (two characters), and Prisma's codes for errors without one. Everything else is a bug.
const faults: Readonly<Record<string, Fault>> = {
  '08': 'unreachable',
  '22': 'rejected',
  '23': 'rejected',
  [readOnlyState]: 'read-only',
  '25P03': 'unreachable',
  '25P04': 'unreachable',
  '28000': 'not trusted',
  '28P01': 'not trusted',
  '40': 'conflict',
  '53': 'exhausted',
  [lockNotAvailable]: 'slow',
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
const poolMessage =
  /timeout exceeded when trying to connect|timeout expired|Query read timeout|Connection terminated|is not queryable/;

export function faultOf(error: unknown): Fault | null {
  return ownFaultOf(error) ?? (error instanceof Error ? faultOf(error.cause) : null);
}

/** Whether PostgreSQL or the connection to it made the error; false if it only has such a cause, as one of Redis may. */
export function isOfDatabase(error: unknown): boolean {
  return error instanceof pg.DatabaseError || ownFaultOf(error) !== null;
}

function ownFaultOf(error: unknown): Fault | null {
  if (error === null || typeof error !== 'object') return null;
  const { code, syscall, message, errors } = error as Partial<Record<string, unknown>>;
  const own = faultOfState(sqlStateOf(error)) ?? faultOfCode(code, syscall);
  if (own !== null) return own;
  if (typeof message === 'string' && poolMessage.test(message)) return 'unreachable';
  return Array.isArray(errors) ? (errors.map(faultOf).find((fault) => fault !== null) ?? null) : null;
}

export function isTransient(error: unknown): boolean {
  const fault = faultOf(error);
  return fault !== null && fault !== 'rejected';
}

/** Retries a write for `forMs` while its error is transient. @throws the last error, or a permanent one at once */
export async function retryTransient<Result>(
  log: Logger,
  forMs: number,
  work: () => Promise<Result>,
  isRetryable = isTransient,
): Promise<Result> {
  return await retry(work, {
    delaysMs: backoff(100, 1000),
    forMs,
    isRetryable,
    onFailure(error, { willRetry }) {
      if (willRetry) log.warn({ err: error }, 'write failed; retrying');
    },
  });
}

export function isRejection(error: unknown): error is Error {
  return faultOf(error) === 'rejected';
}

/** Prisma keeps the server's code in the error of its adapter. */
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
