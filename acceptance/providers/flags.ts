import { readFlags, UsageError } from '@holdfast/kit/flags';

export type Flags = {
  help: boolean;
  /** The servers to test. */
  only: string[];
  /** Cases whose title contains this text; null: all. */
  grep: string | null;
  /** Whether logs and the home of the stack stay when everything has ended. */
  keep: boolean;
};

export const usage = (servers: string[]) => `Usage: npm run test:providers [-- flags]

Starts Holdfast as npm start --ephemeral does, on free ports, and real model servers beside it, one after the other. They
are installed from PyPI into virtual environments below \${XDG_CACHE_HOME:-~/.cache}/holdfast/providers, once: about 2 GB
and some minutes. A server is skipped, with the reason, where Python 3.10 or newer, its venv module or PyPI is missing.

  --only a,b    these servers alone: ${servers.join(', ')}
  --grep TEXT   the cases whose title contains TEXT
  --keep        keeps the logs of the last run, and says where they are
  --help        this text

The last line is \`N passed, N failed, N skipped\`; the exit code is 0 when none failed.`;

/** @throws UsageError with one clear line for what it doesn't know */
export function parseFlags(args: string[], servers: string[]): Flags {
  const {
    help = false,
    only,
    grep,
    keep = false,
  } = readFlags(args, options, 'npm run test:providers -- --help');
  const chosen = only?.split(',').map((name) => name.trim()) ?? servers;
  const unknown = chosen.find((name) => !servers.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`There is no server "${unknown}": one of ${servers.join(', ')}.`);
  return { help, only: servers.filter((name) => chosen.includes(name)), grep: grep ?? null, keep };
}

const options = {
  help: { type: 'boolean', short: 'h' },
  only: { type: 'string' },
  grep: { type: 'string' },
  keep: { type: 'boolean' },
} as const;
