import type { Producer } from '@holdfast/queues/producer';

/** Nothing listens: for promises that hold without a queue. */
export const nowhere: Producer<never> = {
  add: async () => {},
  addAll: async () => true,
  close: async () => {},
};
