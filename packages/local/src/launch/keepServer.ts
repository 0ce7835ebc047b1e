import { backoff, retry } from '@holdfast/kit/retry';
import { reasonOf } from '@holdfast/kit/within';
import type { RunningServer } from '../process/runningServer.ts';
import type { Watcher } from '../supervisor/supervise.ts';

export type KeptServer = { url: string; pid: () => number; stop: () => Promise<void> };

const retryAfterMs = 500;

export async function keepServer(
  name: string,
  startOn: (port?: number) => Promise<RunningServer>,
  { say, onPid }: Watcher,
): Promise<KeptServer> {
  const stopping = new AbortController();
  let server = await startOn();
  const { url, port } = server;
  const stopped = new Promise<void>((resolve) => {
    stopping.signal.addEventListener('abort', () => resolve());
  });

  const startAgain = async () => {
    const restart = async () => {
      server = await startOn(port);
      say(`${name} runs again.`);
      onPid();
    };
    // No limit: only stopping makes it throw.
    await retry(restart, {
      delaysMs: backoff(retryAfterMs, retryAfterMs),
      signal: stopping.signal,
      onFailure: (error) => say(`${name} can't be started: ${reasonOf(error)}`),
    }).catch(() => undefined);
  };

  const live = async () => {
    while (!stopping.signal.aborted) {
      await Promise.race([server.exited, stopped]);
      if (stopping.signal.aborted) return;
      say(`${name} has died; starting it again on the same port.`);
      await startAgain();
    }
  };
  const living = live();

  return {
    url,
    pid: () => server.pid,
    stop: async () => {
      stopping.abort();
      await living;
      await server.stop();
    },
  };
}
