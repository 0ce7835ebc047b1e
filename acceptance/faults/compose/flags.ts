import { readFlags, wholeNumber } from '@holdfast/kit/flags';

export type Flags = { executions: number; help: boolean };

export const usage = `Usage: npm run test:acceptance -- compose [flags]

Builds the images from a copy of this tree, and runs docker-compose.yml as a separate project on free ports. Follows the
tutorial, scales every service, and runs executions while it kills each container in turn and empties Redis. No execution
may be lost, stuck or charged twice. Takes a few minutes, and always removes everything it created.

  --executions N   number of executions (default 2000)
  --help           print this text

COMPOSE_TEST_SETUP in the environment is a shell command that runs first, for example one that starts Docker.`;

/** @throws UsageError for an unknown flag */
export function parseFlags(args: string[]): Flags {
  const { executions = '2000', help = false } = readFlags(
    args,
    options,
    'npm run test:acceptance -- compose --help',
  );
  return { executions: wholeNumber('--executions', executions, { max: 99_999 }), help };
}

const options = { executions: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;
