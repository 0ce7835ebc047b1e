import { readFlags, wholeNumber } from '@holdfast/kit/flags';

export type Flags = { executions: number; help: boolean };

export const usage = `Usage: npm run test:compose [-- flags]

Builds the images and runs docker-compose.yml as a project of its own, on free ports, from a copy of this tree. Does the
tutorial, scales every service, and puts executions through while each container is killed in turn and Redis loses
its data. Then nothing may be lost, stuck or paid twice. Takes some minutes; removes all it made, however it ends.

  --executions N   how many (default 2000)
  --help           this text

COMPOSE_TEST_SETUP in the environment is a shell command to run first, such as one that starts Docker.`;

/** @throws UsageError with one clear line for what it doesn't know */
export function parseFlags(args: string[]): Flags {
  const { executions = '2000', help = false } = readFlags(args, options, 'npm run test:compose -- --help');
  return { executions: wholeNumber('--executions', executions, { max: 99_999 }), help };
}

const options = { executions: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;
