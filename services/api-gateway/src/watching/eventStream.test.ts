import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import type { Execution } from '@holdfast/domain/execution';
import { createLogger } from '@holdfast/kit/logger';
import { expect, it } from '@jest/globals';
import { openBodyMemory } from '../http/bodyLimits.ts';
import { streamExecution } from './eventStream.ts';
import { positionOf } from './serverSentEvents.ts';
import type { Watch } from './watcher.ts';

const current = { id: 'exec_1', status: 'PROCESSING', progress: null, queuePosition: null } as const;

/** A stream of an execution that is running, to a client that does not read. */
function startStream() {
  const response = Object.assign(new PassThrough({ highWaterMark: 1024 }), { writeHead: () => response });
  const watches: Watch[] = [];
  const finished = streamExecution({
    watcher: {
      watch(_id, watch) {
        watches.push(watch);
        return () => watches.splice(0);
      },
    },
    log: createLogger('test', 'silent'),
    execution: { id: 'exec_1' },
    read: () => Promise.reject<Execution>(new Error('the status is known')),
    recordOf: (execution) => execution,
    checkKey: async () => {},
    from: positionOf('1:::0'),
    hold: openBodyMemory(0).open('an organization'),
    response: response as unknown as ServerResponse,
  });
  return { response, watches, finished };
}

it('a stream skips polls while its client does not read, and then resumes where it stopped', async () => {
  const { response, watches, finished } = startStream();
  const [watch] = watches;
  expect(watch?.logsSeen()).toBe(0);
  const line = `${'x'.repeat(2047)}\n`;
  watch?.onRead({ ...current, logsTotal: 2048, logFrom: 0, log: line });
  await new Promise(setImmediate);
  expect(watch?.logsSeen()).toBeNull();
  const held = () => response.readableLength + response.writableLength;
  const before = held();
  watch?.onRead({ ...current, logsTotal: 4096, logFrom: 2048, log: line });
  await new Promise(setImmediate);
  expect(held()).toBe(before);
  response.resume();
  await new Promise(setImmediate);
  expect(watch?.logsSeen()).toBe(2048);
  watch?.onClosed();
  await finished;
  expect(response.writableEnded).toBe(true);
});
