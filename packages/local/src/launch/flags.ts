import { parseArgs } from 'node:util';
import { LaunchError } from './launchError.ts';

export type Flags = { port: number; ephemeral: boolean; help: boolean };

export const usage = `Usage: npm start [-- flags]

  --port N      the port of the API (default 8080, or PORT of the environment)
  --ephemeral   fresh data, removed at the end
  --help        this text

Data, logs and local.json lie in .holdfast, or where HOLDFAST_HOME says. Every setting of a service can be given
in the environment; DATABASE_URL or REDIS_URL there takes the place of the Postgres or Redis started here.`;

/** Reads the flags of `npm start`. Throws LaunchError with one clear line for what it doesn't know. */
export function parseFlags(args: string[], env: NodeJS.ProcessEnv): Flags {
  const { port, ephemeral, help } = knownFlags(args);
  return {
    port: parsePort(port ?? env['PORT'] ?? '8080'),
    ephemeral: ephemeral ?? false,
    help: help ?? false,
  };
}

function knownFlags(args: string[]) {
  try {
    const options = {
      port: { type: 'string' },
      ephemeral: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    } as const;
    return parseArgs({ args, options, strict: true }).values;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('. ')[0] : String(error);
    throw new LaunchError(`${reason}. See npm start -- --help.`);
  }
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new LaunchError(`"${text}" is not a port: --port takes a number from 1 to 65535.`);
}
