import { readFlags, wholeNumber } from '@holdfast/kit/flags';

export type Flags = {
  help: boolean;
  minutes: number;
  /** Null: half of the calibrated rate. */
  ratePerS: number | null;
  seed: number;
  clients: number;
  json: boolean;
  write: boolean;
};

export const usage = `Usage: npm run soak [-- flags]

Starts everything anew on free ports and keeps users at work at half of the top rate: text at once and by callback,
pictures, uploads, failures, cancels, reads, lists, ?wait, event streams, webhooks to endpoints of which one is down now
and then. Meanwhile it kills, stops and pauses services, empties Redis, crashes Redis and PostgreSQL and keeps the disk
busy, by a plan that the seed tells. A line and a sample every minute. At the end it waits for rest, and tells what grew
per million executions, whether every execution ended once and was charged once, whether every event arrived, and what
the audit finds. Exit code 0 when all is well and nothing grows that shouldn't.

  --minutes N   how long users are at work (default 60)
  --rate N      executions created a second (default: half of what a calibration of some seconds reaches)
  --seed N      of the plan of faults (default: a new one, which is printed)
  --clients N   creates under way at once, at most (default 64)
  --json        the result as one JSON document on standard output
  --no-write    does not keep the result in bench/results
  --help        this text`;

/** @throws UsageError */
export function parseFlags(args: string[], newSeed: () => number): Flags {
  const {
    help = false,
    minutes = '60',
    rate,
    seed,
    clients = '64',
    json = false,
    ...rest
  } = readFlags(args, options, 'npm run soak -- --help');
  return {
    help,
    minutes: wholeNumber('--minutes', minutes),
    ratePerS: rate === undefined ? null : wholeNumber('--rate', rate),
    seed: seed === undefined ? newSeed() : wholeNumber('--seed', seed),
    clients: wholeNumber('--clients', clients),
    json,
    write: !rest['no-write'],
  };
}

const options = {
  help: { type: 'boolean', short: 'h' },
  minutes: { type: 'string' },
  rate: { type: 'string' },
  seed: { type: 'string' },
  clients: { type: 'string' },
  json: { type: 'boolean' },
  'no-write': { type: 'boolean' },
} as const;
