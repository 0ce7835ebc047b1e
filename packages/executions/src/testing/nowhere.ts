import type { Producer } from '@holdfast/queues/producer';

/** No client waits. */
export const publishChanges = (): void => {};

/** Nothing listens: for promises that hold without a queue. */
export const nowhere: Producer<never> = {
  add: async () => {},
  addAll: async () => true,
  close: async () => {},
};
