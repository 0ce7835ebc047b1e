import { ApiError } from '@holdfast/domain/errors';
import { createFairLimiter, type FairLimiter } from '@holdfast/kit/fairLimiter';
import type { Logger } from '@holdfast/kit/logger';
import { within } from '@holdfast/kit/within';
import { type Database, openDatabase } from './client.ts';
import { faultOf, isTransient } from './faults.ts';

/** An owner, such as an organization, gets a share of the connections. @throws ApiError RATE_LIMITED when it waits for 10 s */
export type Reader = {
  /** For lists and sums. Uses the primary when the replica is unavailable, behind, or its result is not `isEnough`. */
  read<Found>(
    owner: string,
    work: (db: Database) => Promise<Found>,
    isEnough?: (found: Found) => boolean,
  ): Promise<Found>;
  /** For single rows, which do not wait for the owner's lists. */
  readPrimary<Found>(owner: string, work: (primary: Database) => Promise<Found>): Promise<Found>;
  close(): Promise<void>;
};

type Replica = {
  url: string;
  maxLagS: number;
  poolSize: number;
  applicationName: string;
  isPrepared: boolean;
};

const holdsMs = 1000;
const patienceMs = 500;
/** A hanging replica must not block readers for long. */
const replicaTimeoutMs = 10_000;
const turnWithinMs = 10_000;
const headers = { 'Retry-After': '2' };

export function openReader(primary: Database, replica: Replica | null, log: Logger): Reader {
  const lists = openTurns(replica?.poolSize ?? primary.pool.options.max, 1 / 4);
  const rows = openTurns(primary.pool.options.max, 1 / 2);
  const readPrimary: Reader['readPrimary'] = (owner, work) => rows(owner, () => work(primary));
  if (replica === null) {
    return { read: (owner, work) => lists(owner, () => work(primary)), readPrimary, close: async () => {} };
  }
  const db = openDatabase({ ...replica, responseTimeoutMs: replicaTimeoutMs, acceptsReadOnly: true });
  const isUsable = createWatch(() => readLag(db, replica.maxLagS), log);

  async function readReplica<Found>(
    work: (db: Database) => Promise<Found>,
  ): Promise<{ found: Found } | null> {
    if (!(await isUsable.now())) return null;
    try {
      return { found: await work(db) };
    } catch (error) {
      if (!isOfReplica(error)) throw error;
      isUsable.record(false, error);
      return null;
    }
  }

  return {
    read: (owner, work, isEnough = () => true) =>
      lists(owner, async () => {
        const replicaRead = await readReplica(work);
        return replicaRead !== null && isEnough(replicaRead.found) ? replicaRead.found : await work(primary);
      }),
    readPrimary,
    close: () => db.close(),
  };
}

/** Each owner gets this share of the connections at a time. As at a pool, whoever waits for too long is refused. */
function openTurns(connections: number, share: number): FairLimiter {
  const timeoutError = () =>
    new ApiError('RATE_LIMITED', 'Too many reads are waiting. Send fewer at once.', { headers });
  return createFairLimiter(connections, Math.ceil(connections * share), {
    afterMs: turnWithinMs,
    timeoutError,
  });
}

/** A replica of an idle primary counts as behind; a promoted one follows nothing. @throws if unavailable or behind */
async function readLag({ pool }: Database, maxLagS: number): Promise<void> {
  const { rows } = await within(patienceMs, 'asking the replica', pool.query<{ lagS: number | null }>(lag));
  const lagS = rows[0]?.lagS ?? Number.POSITIVE_INFINITY;
  if (lagS > maxLagS) throw new Error(`the replica is ${lagS} s behind`);
}

const lag = `SELECT CASE WHEN pg_is_in_recovery()
  THEN extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8 END AS "lagS"`;

// Unreachable, short of resources, or cancelled by recovery. A slow statement is slow on the primary too.
function isOfReplica(error: unknown): boolean {
  return isTransient(error) && faultOf(error) !== 'slow';
}

/** Caches a check for a moment. After a failure, readers do not wait for the next one. */
function createWatch(check: () => Promise<void>, log: Logger) {
  let isGood: boolean | null = null;
  let toldMs = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | null = null;

  function record(good: boolean, error?: unknown): void {
    if (isGood !== good)
      log.info({ err: error }, good ? 'lists are read from the replica' : 'lists are read from the primary');
    isGood = good;
    toldMs = performance.now();
  }

  async function checkNow(): Promise<void> {
    await check().then(
      () => record(true),
      (error: unknown) => record(false, error),
    );
    checking = null;
  }

  return {
    record,
    async now(): Promise<boolean> {
      if (performance.now() - toldMs < holdsMs) return isGood === true;
      checking ??= checkNow();
      if (isGood !== false) await checking;
      return isGood === true;
    },
  };
}
