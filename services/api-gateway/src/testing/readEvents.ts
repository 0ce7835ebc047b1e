import { createServer } from 'node:http';
import { closeServer, listenAt } from '@holdfast/kit/http';
import type { TestGateway } from './testGateway.ts';

export type ServedEvent = { id: string; event: string; data: unknown };

/** Serves the API of a gateway at a port, for tests that read a response while it streams. */
export async function serve({ app }: Pick<TestGateway, 'app'>) {
  const server = createServer(app);
  const url = `http://127.0.0.1:${await listenAt(server, { host: '127.0.0.1', port: 0 })}`;
  return {
    url,
    async close() {
      const closed = closeServer(server);
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The events of a response as they arrive, until it ends. */
export async function* readEvents(response: Response): AsyncGenerator<ServedEvent> {
  let rest = '';
  for await (const text of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = Object.fromEntries(
        block
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      if (fields['data'] === undefined) continue;
      yield { id: fields['id'] ?? '', event: fields['event'] ?? '', data: JSON.parse(fields['data']) };
    }
  }
}

/** All events of a response. */
export async function eventsOf(response: Response): Promise<ServedEvent[]> {
  const events: ServedEvent[] = [];
  for await (const event of readEvents(response)) events.push(event);
  return events;
}
