import { type GaugeReader, gauge, type Registry } from '@holdfast/kit/metrics';
import { within } from '@holdfast/kit/within';
import { readForeignLimits } from './admission.ts';
import { type Redis, untilReady } from './connection.ts';
import { queueNames } from './definitions.ts';
import { readDepth } from './depth.ts';
import { openQueue } from './producer.ts';

const responseTimeoutMs = 5000;
const readyWithinMs = 1000;

export function depthGauges(registry: Registry, redis: Redis): GaugeReader {
  const depth = gauge(registry, 'queue_depth', 'Jobs in a queue, by state', ['queue', 'state']);
  const oldest = gauge(
    registry,
    'queue_oldest_waiting_seconds',
    'Since when the first job of a queue waits; 0 when none does',
    ['queue'],
  );
  const foreign = gauge(
    registry,
    'queue_foreign_keys',
    'Keys of a queue, or of the limits, that something else has written: sweeps and other keys do their work',
    ['queue'],
  );
  const queues = queueNames.map((name) => openQueue(name, redis));
  const forget = () => {
    depth.reset();
    oldest.reset();
    foreign.reset();
  };
  return {
    async read() {
      // A service that just started is about to connect.
      await untilReady(redis, readyWithinMs).catch(forget);
      if (redis.status !== 'ready') return;
      const depths = await within(
        responseTimeoutMs,
        'counting jobs',
        Promise.all(queues.map((queue) => readDepth(queue(), redis))),
      );
      for (const { queue, oldestWaitingMs, foreignKeys, ...jobs } of depths) {
        for (const state of ['waiting', 'active', 'delayed', 'failed'] as const)
          depth.set({ queue, state }, jobs[state]);
        oldest.set({ queue }, (oldestWaitingMs ?? 0) / 1000);
        foreign.set({ queue }, foreignKeys.length);
      }
      const limits = await within(responseTimeoutMs, 'reading limits', readForeignLimits(redis));
      foreign.set({ queue: 'limits' }, limits.length);
    },
    forget,
  };
}
