import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import type { Execution } from '@holdfast/domain/execution';
import { createLogger } from '@holdfast/kit/logger';
import { expect, it } from '@jest/globals';
import { streamExecution } from './eventStream.ts';
import { positionOf } from './serverSentEvents.ts';
import type { Watch } from './watcher.ts';

const sighting = { id: 'exec_1', status: 'PROCESSING', progress: null, queuePosition: null } as const;

/** A stream of an execution that runs, to a client that reads nothing by itself. */
function startStream() {
  const response = Object.assign(new PassThrough({ highWaterMark: 1024 }), { writeHead: () => response });
  const watches: Watch[] = [];
  const over = streamExecution({
    watcher: {
      watch(_id, watch) {
        watches.push(watch);
        return () => watches.splice(0);
      },
      size: () => watches.length,
      close() {},
    },
    log: createLogger('test', 'silent'),
    execution: { id: 'exec_1' },
    read: () => Promise.reject<Execution>(new Error('the status is known')),
    mayRead: async () => {},
    from: positionOf('1:::0'),
    response: response as unknown as ServerResponse,
  });
  return { response, watches, over };
}

it('asks for no more while its client reads nothing, and goes on where it was', async () => {
  const { response, watches, over } = startStream();
  const [watch] = watches;
  expect(watch?.logsSeen()).toBe(0);
  const line = `${'x'.repeat(2047)}\n`;
  watch?.sees({ ...sighting, logsTotal: 2048, logFrom: 0, log: line });
  await new Promise(setImmediate);
  expect(watch?.logsSeen()).toBeNull();
  const held = () => response.readableLength + response.writableLength;
  const before = held();
  watch?.sees({ ...sighting, logsTotal: 4096, logFrom: 2048, log: line });
  await new Promise(setImmediate);
  expect(held()).toBe(before);
  response.resume();
  await new Promise(setImmediate);
  expect(watch?.logsSeen()).toBe(2048);
  watch?.ends();
  await over;
  expect(response.writableEnded).toBe(true);
});
