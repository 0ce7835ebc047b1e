import { readFlags, UsageError, wholeNumber } from '@holdfast/kit/flags';
import { type Fault, faults } from './faults.ts';

export type Flags = {
  rounds: number;
  perSecond: number;
  isProxied: boolean;
  isSynchronous: boolean;
  only: Fault | null;
  help: boolean;
};

export const usage = `Usage: npm run test:failover [-- flags]

Runs everything that npm start runs on a PostgreSQL cluster of three machines (Patroni and etcd of Debian, in network
namespaces), under load. In turn, the primary is killed with its machine, paused, cut off from the others, and switched over.
After each round and at the end: no accepted execution is lost, none is charged twice, every event arrives, and the audit of
the ledger passes. Prints the seconds without an accepted execution. Needs root; a round takes a minute.

  --rounds N   number of faults (default 30)
  --rate N     executions created per second (default 100)
  --only KIND  only this fault: ${faults.join(', ')}
  --proxied    services connect through PgBouncer and HAProxy, instead of naming the three servers
  --async      asynchronous replication: prints what was lost, and finds it again in the logs of the services
  --help       print this text`;

/** @throws UsageError for an unknown flag */
export function parseFlags(args: string[]): Flags {
  const {
    rounds = '30',
    rate = '100',
    only,
    proxied = false,
    async = false,
    help = false,
  } = readFlags(args, options, 'npm run test:failover -- --help');
  return {
    rounds: wholeNumber('--rounds', rounds, { max: 1000 }),
    perSecond: wholeNumber('--rate', rate, { max: 500 }),
    isProxied: proxied,
    isSynchronous: !async,
    only: only === undefined ? null : faultNamed(only),
    help,
  };
}

function faultNamed(name: string): Fault {
  const fault = faults.find((one) => one === name);
  if (!fault) throw new UsageError(`--only needs one of ${faults.join(', ')}`);
  return fault;
}

const options = {
  rounds: { type: 'string' },
  rate: { type: 'string' },
  only: { type: 'string' },
  proxied: { type: 'boolean' },
  async: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;
