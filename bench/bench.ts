import type { Database } from '@holdfast/db/client';
import type { Flags } from './flags.ts';
import type { Http } from './http.ts';
import type { Created } from './load.ts';
import type { Receiver } from './receiver.ts';

/** What every part works with. */
export type Bench = {
  flags: Flags;
  databaseUrl: string;
  db: Database;
  organizationId: string;
  /** As the organization, on as many connections as there are clients. */
  api: Http;
  receiver: Receiver;
  /** Progress for a person to read. */
  say(line: string): void;
};

export type Figures = Record<string, number | string>;

export type Part = { about: string; run(bench: Bench): Promise<Figures> };

/** When the webhook of each came, in their order; rejects when none comes for a minute. */
export async function untilDelivered({ receiver, say }: Bench, created: Created[]): Promise<number[]> {
  let left = created.length;
  let previous = left;
  const stalled = Promise.withResolvers<never>();
  const watch = setInterval(() => {
    if (left === previous)
      stalled.reject(new Error(`${left} webhooks have not come, and none came for a minute`));
    previous = left;
  }, 60_000);
  const progress = setInterval(() => say(`${left} webhooks still to come`), 5_000);
  const arrival = async ({ id }: Created) => {
    const atMs = await receiver.arrival(id);
    left -= 1;
    return atMs;
  };
  try {
    return await Promise.race([Promise.all(created.map(arrival)), stalled.promise]);
  } finally {
    clearInterval(watch);
    clearInterval(progress);
  }
}
