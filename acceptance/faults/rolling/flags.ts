import { readFlags, wholeNumber } from '@holdfast/kit/flags';

export type Flags = { perSecond: number; rounds: number; pauseS: number; help: boolean };

export const usage = `Usage: npm run test:acceptance -- rolling [flags]

Runs everything that npm start runs, in a separate folder, with two of each service and the gateways behind a load
balancer that checks /readyz. Restarts every process with SIGTERM, one after another, under load. No request may fail,
nothing may be lost or done twice, every webhook must arrive, and the audit of the ledger must pass. Takes a minute or two.

  --rate N     executions created per second (default 8)
  --rounds N   number of restarts of each process (default 1)
  --pause S    seconds of load between two restarts (default 3)
  --help       print this text`;

/** @throws UsageError for an unknown flag */
export function parseFlags(args: string[]): Flags {
  const {
    rate = '8',
    rounds = '1',
    pause = '3',
    help = false,
  } = readFlags(args, options, 'npm run test:acceptance -- rolling --help');
  return {
    perSecond: wholeNumber('--rate', rate, { max: 100 }),
    rounds: wholeNumber('--rounds', rounds, { max: 100 }),
    pauseS: wholeNumber('--pause', pause, { max: 600 }),
    help,
  };
}

const options = {
  rate: { type: 'string' },
  rounds: { type: 'string' },
  pause: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;
