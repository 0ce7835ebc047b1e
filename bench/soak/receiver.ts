import { startReceiver } from '../receiver.ts';
import { type IdSet, openIdSet } from './idSet.ts';

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
