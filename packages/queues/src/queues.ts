import { abortQueue } from './abort.ts';
import { adjustQueue } from './adjust.ts';
import { callbackQueue } from './callback.ts';
import { deliverQueue } from './deliver.ts';
import { dispatchQueue } from './dispatch.ts';
import { fanoutQueue } from './fanout.ts';
import { pollQueue } from './poll.ts';
import { recoverQueue } from './recover.ts';
import { retryQueue } from './retry.ts';
import { settleQueue } from './settle.ts';
import { testCallQueue } from './testCall.ts';

/** The names of all queues there are, in the order in which an execution comes by them. */
export const queueNames: readonly string[] = [
  dispatchQueue,
  retryQueue,
  recoverQueue,
  callbackQueue,
  pollQueue,
  abortQueue,
  settleQueue,
  fanoutQueue,
  deliverQueue,
  testCallQueue,
  adjustQueue,
].map(({ name }) => name);
