import { startReceiver } from '../receiver.ts';

/** UUIDs in a sixth of the memory of their text: there are millions. */
export function openIdSet() {
  const kept = new Set<string>();
  let repeats = 0;
  return {
    add(id: string): boolean {
      const packed = pack(id);
      if (kept.has(packed)) repeats += 1;
      const isNew = !kept.has(packed);
      kept.add(packed);
      return isNew;
    },
    has: (id: string) => kept.has(pack(id)),
    size: () => kept.size,
    repeats: () => repeats,
  };
}

export type IdSet = ReturnType<typeof openIdSet>;

const pack = (id: string) =>
  Buffer.from(id.slice(id.indexOf('_') + 1).replaceAll('-', ''), 'hex').toString('latin1');

export type SoakReceiver = {
  url: string;
  events: IdSet;
  /** While it is down, it responds to everything with 503. */
  setDown(isDown: boolean): void;
  close(): Promise<void>;
};

export async function startSoakReceiver(): Promise<SoakReceiver> {
  const events = openIdSet();
  const receiver = await startReceiver('raw', (arrivals) => {
    for (const { eventId } of arrivals) events.add(eventId);
  });
  return {
    url: `${receiver.url}/`,
    events,
    setDown: (isDown) => receiver.configure({ isDown }),
    close: receiver.close,
  };
}
