import { resolve } from 'node:path';
import { styleText } from 'node:util';
import { exitWith } from './launch/launchError.ts';
import { parseListenFlags, usage } from './listen/flags.ts';
import { listenForWebhooks } from './listen/listen.ts';
import { findLocalStack } from './listen/localStack.ts';

const root = resolve(import.meta.dirname, '../../..');

const say = (line: string) => void process.stdout.write(`${line}\n`);

/** Resolves at the first signal (npm may repeat a Ctrl-C), or when the parent process is gone. */
function whenAskedToStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
    process.on('disconnect', () => resolve());
    // The reader of the output is gone.
    process.stdout.on('error', () => resolve());
  });
}

async function main(): Promise<number> {
  const flags = parseListenFlags(process.argv.slice(2));
  if (flags.help) {
    say(usage);
    return 0;
  }
  const stopped = whenAskedToStop();
  const stack = findLocalStack(resolve(process.env['HOLDFAST_HOME'] || resolve(root, '.holdfast')));
  return await listenForWebhooks(
    stack,
    flags,
    { say, paint: (format, text) => styleText(format, text) },
    stopped,
  );
}

await exitWith(main);
