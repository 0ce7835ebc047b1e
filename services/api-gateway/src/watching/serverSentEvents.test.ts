import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { openBodyMemory } from '../http/bodyLimits.ts';
import { openEventWriter } from './serverSentEvents.ts';

const json = JSON.stringify({ delta: '波'.repeat(200_000) });
const sent = `id: 1\nevent: output\ndata: ${json}\n\n`;
const bytes = Buffer.byteLength(sent);

/** A stream to a client that does not read yet. */
function open(memory: ReturnType<typeof openBodyMemory>) {
  const response = Object.assign(new PassThrough({ highWaterMark: 16_384 }), { writeHead: () => response });
  const writer = openEventWriter(response as unknown as ServerResponse, memory.open('an organization'));
  const waiting = () => response.readableLength + response.writableLength;
  return { response, writer, waiting };
}

describe('a large event', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'performance'] }));
  afterEach(() => void jest.useRealTimers());

  it('waits for its client 64 KB at a time, whole, and counts until it is sent', async () => {
    const memory = openBodyMemory(2 * bytes, 'responses');
    const { response, writer, waiting } = open(memory);
    const written = writer.write({ id: 1, type: 'output', json });
    expect(memory.heldBytes()).toBe(bytes);
    let text = '';
    while (text.length < bytes) {
      await new Promise(setImmediate);
      expect(waiting()).toBeLessThan(3 * 65_536);
      // Time for a heartbeat, between two parts of the event.
      jest.advanceTimersByTime(16_000);
      const part: unknown = response.read();
      if (Buffer.isBuffer(part)) text += part.toString('latin1');
    }
    await written;
    expect(Buffer.from(text, 'latin1').toString()).toContain(sent);
    expect(memory.heldBytes()).toBe(0);
    writer.end();
  });

  it('is not begun where it has no room', async () => {
    const memory = openBodyMemory(bytes, 'responses');
    const { writer, waiting } = open(memory);
    const before = waiting();
    await expect(writer.write({ id: 1, type: 'output', json })).rejects.toMatchObject({
      code: 'RATE_LIMITED',
    });
    expect([waiting(), memory.heldBytes()]).toEqual([before, 0]);
    writer.end();
  });
});
