import { readFlags, UsageError } from '@holdfast/kit/flags';

export type Flags = { port: number; ephemeral: boolean; noInstall?: boolean; quiet?: boolean; help: boolean };

export const usage = `Usage: npm start [-- flags]

  --port N      the port of the API (default 8080, or PORT of the environment)
  --ephemeral   fresh data, removed at the end
  --quiet       no line for each execution and webhook
  --no-install  install no Debian package; as root, start installs redis-server where Redis is missing
  --help        this help

Data, logs and local.json are in .holdfast, or in the folder HOLDFAST_HOME. The environment may contain every setting of
the services; with DATABASE_URL or REDIS_URL no Postgres or Redis is started here.`;

/** @throws UsageError */
export function parseFlags(args: string[], env: NodeJS.ProcessEnv): Flags {
  const { port, ephemeral, quiet, help, ...rest } = readFlags(args, options, 'npm start -- --help');
  return {
    port: parsePort(port ?? env['PORT'] ?? '8080'),
    ephemeral: ephemeral ?? false,
    noInstall: rest['no-install'] ?? false,
    quiet: quiet ?? false,
    help: help ?? false,
  };
}

const options = {
  port: { type: 'string' },
  ephemeral: { type: 'boolean' },
  quiet: { type: 'boolean' },
  'no-install': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new UsageError(`"${text}" is not a port: --port takes a number from 1 to 65535.`);
}
