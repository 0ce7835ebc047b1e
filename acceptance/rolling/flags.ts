import { parseArgs } from 'node:util';

export type Flags = { perSecond: number; rounds: number; pauseS: number; help: boolean };

export class UsageError extends Error {}

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
  const { rate = '8', rounds = '1', pause = '3', help = false } = knownFlags(args);
  return {
    perSecond: wholeNumber('--rate', rate, 100),
    rounds: wholeNumber('--rounds', rounds, 100),
    pauseS: wholeNumber('--pause', pause, 600),
    help,
  };
}

function wholeNumber(flag: string, text: string, most: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw new UsageError(`${flag} takes a number from 1 to ${most}.`);
}

function knownFlags(args: string[]) {
  const taking = { type: 'string' } as const;
  try {
    const options = {
      rate: taking,
      rounds: taking,
      pause: taking,
      help: { type: 'boolean', short: 'h' },
    } as const;
    return parseArgs({ args, options, strict: true }).values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split('. ')[0]}. See npm run rolling -- --help.`);
  }
}
