import { describe, expect, it } from '@jest/globals';
import { readEvents, type ServerSentEvent } from './serverSentEvents.ts';

async function* inChunks(text: string, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

async function parse(text: string, size = 1) {
  const retries: number[] = [];
  const events: ServerSentEvent[] = [];
  const onRetry = (ms: number) => retries.push(ms);
  for await (const event of readEvents(inChunks(text, size), { onRetry })) events.push(event);
  return { events, retries };
}

describe('an event stream', () => {
  it.each(['\n', '\r\n', '\r'])('is read with lines that end in %j, byte by byte', async (end) => {
    const lines = [
      'retry: 2000',
      '',
      ': comment',
      'id: 7',
      'event: log',
      'data: é',
      'data:{"a":1}',
      '',
      'data',
      '',
      '',
    ];
    const { events, retries } = await parse(`${lines.join(end)}: the end`);
    expect(events).toEqual([
      { type: 'log', data: 'é\n{"a":1}', id: '7' },
      { type: 'message', data: '', id: null },
    ]);
    expect(retries).toEqual([2000]);
  });

  // Reading the whole event again with each of the 80,000 pieces would take minutes.
  it('reads a large event in time that is proportional to its length', async () => {
    const data = 'x'.repeat(8_000_000);
    const { events } = await parse(`data: ${data}\n\n`, 100);
    expect(events[0]?.data === data).toBe(true);
  });

  it('drops an event that was cut', async () => {
    expect((await parse('data: 1\n\ndata: 2\n', 3)).events.map(({ data }) => data)).toEqual(['1']);
  });
});
