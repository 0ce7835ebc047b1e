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

Starts the whole system with fresh data on free ports, and puts it under load at half of the highest rate: text at once
and by callback, images, uploads, failures, cancellations, reads, lists, ?wait, event streams, and webhooks to endpoints
of which one is sometimes down. Meanwhile it kills, stops and pauses services, empties Redis, crashes Redis and
PostgreSQL, and keeps the disk busy. The seed determines the order of these faults. Prints one line and takes one sample
per minute. At the end it waits until nothing is pending, and reports what grew per million executions, whether every
execution ended once and was charged once, whether every event arrived, and what the audit found. Exits with 0 if all
checks pass and nothing grew that should not.

  --minutes N   duration of the load (default 60)
  --rate N      executions created per second (default: half of what a calibration of some seconds reaches)
  --seed N      seed of the faults (default: a new one, which is printed)
  --clients N   maximum number of creates in flight (default 64)
  --json        print the result as one JSON document on standard output
  --no-write    do not write the result to bench/results
  --help        print this text`;

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
