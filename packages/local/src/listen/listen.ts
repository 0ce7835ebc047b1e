import { existsSync } from 'node:fs';
import { LaunchError } from '../launch/launchError.ts';
import type { ListenFlags } from './flags.ts';
import { colouredJson, type Delivered, lineOf, type Paint } from './line.ts';
import { addEndpoint, type LocalStack, listenerAt, removeEndpoint, removeLeftovers } from './localStack.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const lookEveryMs = 500;

type Output = { say(line: string): void; paint: Paint };

/** Returns the exit code: 1 when the stack ended first. @throws LaunchError when another listener runs */
export async function listenForWebhooks(
  stack: LocalStack,
  flags: ListenFlags,
  { say, paint }: Output,
  stopped: Promise<void>,
): Promise<number> {
  let count = 0;
  const show = (delivered: Delivered, body: string) => {
    count += 1;
    say(lineOf(delivered, paint));
    if (flags.verbose) say(colouredJson(body, paint));
  };
  const receiver = await claimPort(stack, (port) => startReceiver(port, flags, show));
  try {
    await removeLeftovers(stack, receiver.url);
    const { id, secret } = await addEndpoint(stack, { url: receiver.url, events: flags.events });
    receiver.setSecret(secret);
    say(`Listening for ${flags.events.join(', ')} of ${stack.baseUrl} as ${id}. Ctrl-C ends it.`);
    const gone = watchEnd(stack.statePath);
    const hasEnded = await Promise.race([stopped.then(() => false), gone.ended]);
    gone.unwatch();
    if (hasEnded) {
      say('Holdfast has ended. The endpoint is removed when this is started again.');
      return 1;
    }
    const isRemoved = await removeEndpoint(stack, id);
    const removal = isRemoved ? `${id} is removed` : `${id} could not be removed`;
    say(`${count} ${count === 1 ? 'delivery' : 'deliveries'} received; ${removal}.`);
    return isRemoved ? 0 : 1;
  } finally {
    receiver.close();
  }
}

/** Webhooks of the stack may go to this one port, so its holder is the listener. */
async function claimPort(stack: LocalStack, start: (port: number) => Promise<Receiver>): Promise<Receiver> {
  const { port } = new URL(stack.webhooksOrigin);
  try {
    return await start(Number(port));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    const pid = await listenerAt(stack, `${stack.webhooksOrigin}/`);
    throw new LaunchError(
      pid
        ? `Another npm run webhooks:listen (process ${pid}) is running, on port ${port}: end it first.`
        : `Something else listens on port ${port}, which webhooks:listen needs: end it, or restart npm start, which then chooses another.`,
    );
  }
}

/** Resolves when `npm start` has removed its file, as it does at its end. */
function watchEnd(statePath: string): { ended: Promise<true>; unwatch(): void } {
  let timer: NodeJS.Timeout | undefined;
  const ended = new Promise<true>((resolve) => {
    timer = setInterval(() => !existsSync(statePath) && resolve(true), lookEveryMs);
  });
  return { ended, unwatch: () => clearInterval(timer) };
}
