import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { onMessages } from '../onMessages.ts';
import { type IdSet, openIdSet } from './idSet.ts';

export type SoakReceiver = {
  url: string;
  /** Of the events that were received and answered 204. */
  events: IdSet;
  /** While down, everything is answered 503. */
  setDown(isDown: boolean): void;
  close(): void;
};

/** A receiver of webhooks on a free port of the loopback address. */
export async function startReceiver(): Promise<SoakReceiver> {
  const events = openIdSet();
  let isDown = false;
  const server = createServer({ noDelay: true }, (socket) =>
    onMessages(socket, ({ body }) => {
      const id = /"id":"(evt_[^"]+)"/.exec(body)?.[1];
      if (isDown || id === undefined) return answers.down;
      events.add(id);
      return answers.fine;
    }),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    events,
    setDown(down) {
      isDown = down;
    },
    close: () => void server.close(),
  };
}

const answers = {
  fine: 'HTTP/1.1 204 No Content\r\n\r\n',
  down: 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n',
};
