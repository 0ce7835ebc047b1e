import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';

type Callback = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/** Every address of a name, in the order the system gives them. */
export type Resolve = (hostname: string, options: LookupOptions, callback: Callback) => void;

const waiting = new Map<string, Callback[]>();

/**
 * The system's resolver. It runs on few threads, so posts to one host that wait at the same time share one question.
 */
export const resolveAll: Resolve = (hostname, options, callback) => {
  const key = `${hostname} ${options.family ?? 0} ${options.hints ?? 0}`;
  const sharing = waiting.get(key);
  if (sharing) {
    sharing.push(callback);
    return;
  }
  const callbacks = [callback];
  waiting.set(key, callbacks);
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    waiting.delete(key);
    for (const answer of callbacks) answer(error, addresses ?? []);
  });
};
