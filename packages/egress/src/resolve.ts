import type { LookupAddress, LookupOptions } from 'node:dns';
import { createLookUp } from './lookUp.ts';

type Callback = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/** Every address of a name that may be dialled, in the order to try them. */
export type Resolve = (hostname: string, options: LookupOptions, callback: Callback) => void;

const waiting = new Map<string, Callback[]>();
const lookUp = createLookUp();

/** Posts to one host that wait at the same time share one question. */
export const resolveAll: Resolve = (hostname, options, callback) => {
  const key = `${hostname} ${options.family ?? 0} ${options.hints ?? 0}`;
  const sharing = waiting.get(key);
  if (sharing) {
    sharing.push(callback);
    return;
  }
  const callbacks = [callback];
  waiting.set(key, callbacks);
  lookUp(hostname, options, (error, addresses) => {
    waiting.delete(key);
    for (const answer of callbacks) answer(error, addresses);
  });
};
