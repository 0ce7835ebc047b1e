import { readFlags, UsageError } from '@holdfast/kit/flags';

export type Flags = {
  help: boolean;
  /** The servers to test. */
  only: string[];
  /** Cases whose title contains this text; null: all. */
  grep: string | null;
  /** Whether to keep the logs and the data folder at the end. */
  keep: boolean;
};

export const usage = (servers: string[]) => `Usage: npm run test:acceptance -- providers [flags]

Starts Holdfast on free ports, as npm start -- --ephemeral does, and tests it against real model servers, one after
another. The first run installs them side by side from PyPI into virtual environments in
\${XDG_CACHE_HOME:-~/.cache}/holdfast/providers: about 2 GB, a few minutes. A server is skipped, with the reason, if
Python 3.10 or newer, its venv module or PyPI is missing.

  --only a,b    test only these servers: ${servers.join(', ')}
  --grep TEXT   run only the cases whose title contains TEXT
  --keep        keep the logs, and print where they are
  --help        print this text

The last line is \`N passed, N failed, N skipped\`. Exits with 0 if none failed.`;

/** @throws UsageError for an unknown flag or server */
export function parseFlags(args: string[], servers: string[]): Flags {
  const {
    help = false,
    only,
    grep,
    keep = false,
  } = readFlags(args, options, 'npm run test:acceptance -- providers --help');
  const chosen = only?.split(',').map((name) => name.trim()) ?? servers;
  const unknown = chosen.find((name) => !servers.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`There is no server "${unknown}". The servers are ${servers.join(', ')}.`);
  return { help, only: servers.filter((name) => chosen.includes(name)), grep: grep ?? null, keep };
}

const options = {
  help: { type: 'boolean', short: 'h' },
  only: { type: 'string' },
  grep: { type: 'string' },
  keep: { type: 'boolean' },
} as const;
