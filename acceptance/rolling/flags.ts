import { readFlags, wholeNumber } from '@holdfast/kit/flags';

export type Flags = { perSecond: number; rounds: number; pauseS: number; help: boolean };

export const usage = `Usage: npm run rolling [-- flags]

Runs everything that npm start runs in a folder of its own, two of each service, the gateways behind a balancer that asks
/readyz; keeps clients at work, and restarts every process by SIGTERM, one after another. No request may fail, nothing
may be lost or done twice, every webhook must arrive, and the ledger's audit must pass. Takes a minute or two.

  --rate N     executions created a second (default 8)
  --rounds N   how often each process is restarted (default 1)
  --pause S    seconds of load between two restarts (default 3)
  --help       this text`;

/** @throws UsageError with one clear line for what it doesn't know */
export function parseFlags(args: string[]): Flags {
  const {
    rate = '8',
    rounds = '1',
    pause = '3',
    help = false,
  } = readFlags(args, options, 'npm run rolling -- --help');
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
