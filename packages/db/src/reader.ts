import type { Logger } from '@holdfast/kit/logger';
import { within } from '@holdfast/kit/within';
import { type Database, openDatabase } from './client.ts';
import { faultOf, isTransient } from './faults.ts';

/** Reads what may be some seconds old. */
export type Reader = {
  /**
   * Does `work` on the replica, else on the primary: when there is none, when it is away or too far behind, or when what
   * it found is not `isEnough`.
   */
  read<Found>(work: (db: Database) => Promise<Found>, isEnough?: (found: Found) => boolean): Promise<Found>;
  close(): Promise<void>;
};

type Replica = {
  url: string;
  maxLagS: number;
  poolSize: number;
  applicationName: string;
  isPrepared: boolean;
};

/** How long what was found out about the replica holds. */
const holdsMs = 1000;
const patienceMs = 500;
/** A replica that hangs must not hang its readers for long. */
const answerWithinMs = 10_000;

/** Nothing is dialled before it is needed. */
export function openReader(primary: Database, replica: Replica | null, log: Logger): Reader {
  if (replica === null) return { read: (work) => work(primary), close: async () => {} };
  const db = openDatabase({ ...replica, answerWithinMs });
  const isUsable = createWatch(() => readLag(db, replica.maxLagS), log);

  async function readReplica<Found>(
    work: (db: Database) => Promise<Found>,
  ): Promise<{ found: Found } | null> {
    if (!(await isUsable.now())) return null;
    try {
      return { found: await work(db) };
    } catch (error) {
      if (!isOfReplica(error)) throw error;
      isUsable.tell(false, error);
      return null;
    }
  }

  return {
    async read(work, isEnough = () => true) {
      const answer = await readReplica(work);
      return answer !== null && isEnough(answer.found) ? answer.found : await work(primary);
    },
    close: () => db.close(),
  };
}

/**
 * By what was replayed last, so that a primary on which nothing happens has a replica that counts as behind; it has the
 * time to answer itself. One that was promoted follows nobody.
 * @throws when it is away, or behind
 */
async function readLag({ pool }: Database, maxLagS: number): Promise<void> {
  const { rows } = await within(patienceMs, 'asking the replica', pool.query<{ lagS: number | null }>(lag));
  const lagS = rows[0]?.lagS ?? Number.POSITIVE_INFINITY;
  if (lagS > maxLagS) throw new Error(`the replica is ${lagS} s behind`);
}

const lag = `SELECT CASE WHEN pg_is_in_recovery()
  THEN extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8 END AS "lagS"`;

/** Unreachable, short of something, or it ended the statement to go on following: what is slow here is slow there, too. */
function isOfReplica(error: unknown): boolean {
  return isTransient(error) && faultOf(error) !== 'slow';
}

/** Remembers for a moment how a check went. While it last failed nobody waits for the next one. */
function createWatch(check: () => Promise<void>, log: Logger) {
  let isGood: boolean | null = null;
  let toldMs = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | null = null;

  function tell(good: boolean, error?: unknown): void {
    if (isGood !== good)
      log.info({ err: error }, good ? 'lists are read from the replica' : 'lists are read from the primary');
    isGood = good;
    toldMs = performance.now();
  }

  async function checkNow(): Promise<void> {
    await check().then(
      () => tell(true),
      (error: unknown) => tell(false, error),
    );
    checking = null;
  }

  return {
    tell,
    async now(): Promise<boolean> {
      if (performance.now() - toldMs < holdsMs) return isGood === true;
      checking ??= checkNow();
      if (isGood !== false) await checking;
      return isGood === true;
    },
  };
}
