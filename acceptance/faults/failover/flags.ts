import { readFlags, UsageError, wholeNumber } from '@holdfast/kit/flags';
import { type Fault, faults } from './faults.ts';

/** Measured instead of faults of PostgreSQL. */
const others = ['delay', 'sentinel', 'cluster', 'store'] as const;
type Kind = Fault | (typeof others)[number];

export type Flags = {
  rounds: number;
  perSecond: number;
  isProxied: boolean;
  isSynchronous: boolean;
  only: Kind | null;
  help: boolean;
};

export const usage = `Usage: npm run test:acceptance -- failover [flags]

Runs everything that npm start runs on a PostgreSQL cluster of three machines (Patroni and etcd of Debian, in network
namespaces), under load. In turn, the primary is killed with its machine, paused, cut off from the others, and switched over.
After each round and at the end: no accepted execution is lost, none is charged twice, every event arrives, and the audit of
the ledger passes. Prints the seconds without an accepted execution. Needs root; a round takes a minute.

  --rounds N   number of faults (default 30; 6 for sentinel, cluster and store)
  --rate N     executions created per second (default 100; 30 for sentinel, cluster and store)
  --only KIND  only this fault: ${faults.join(', ')};
               delay: no fault, but throughput and latency while replication takes 0, 2 and 5 ms
               sentinel, cluster: a Redis master is killed and paused (with the first sentinel, or in a cluster of three)
               store: the S3 server is killed or paused for ten seconds while executions store files
               (needs root, for .ci/s3-server)
               (sentinel, cluster and store use one PostgreSQL, and no namespaces; sentinel and cluster need no root)
  --proxied    services connect through PgBouncer and HAProxy, instead of naming the three servers
  --async      asynchronous replication: prints what was lost, and finds it again in the logs of the services
  --help       print this text`;

/** @throws UsageError for an unknown flag */
export function parseFlags(args: string[]): Flags {
  const read = readFlags(args, options, 'npm run test:acceptance -- failover --help');
  const { only: name, proxied = false, async = false, help = false } = read;
  const only = name === undefined ? null : kindNamed(name);
  const isPostgres = only === null || faults.some((fault) => fault === only);
  const { rounds = isPostgres ? '30' : '6', rate = isPostgres ? '100' : '30' } = read;
  return {
    rounds: wholeNumber('--rounds', rounds, { max: 1000 }),
    perSecond: wholeNumber('--rate', rate, { max: 500 }),
    isProxied: proxied,
    isSynchronous: !async,
    only,
    help,
  };
}

function kindNamed(name: string): Kind {
  const kinds = [...faults, ...others] as const;
  const kind = kinds.find((one) => one === name);
  if (!kind) throw new UsageError(`--only needs one of ${kinds.join(', ')}`);
  return kind;
}

const options = {
  rounds: { type: 'string' },
  rate: { type: 'string' },
  only: { type: 'string' },
  proxied: { type: 'boolean' },
  async: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;
