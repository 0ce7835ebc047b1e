import { randomBytes } from 'node:crypto';
import { parseConfig } from '@holdfast/kit/config';
import { createLogger } from '@holdfast/kit/logger';
import { tracingConfig } from '@holdfast/kit/tracing/config';
import { openTracing, type Tracing } from '@holdfast/kit/tracing/tracing';
import { closing } from '@holdfast/testkit/closing';
import { expect, it } from '@jest/globals';
import { startCollector } from './collector.ts';

const collector = closing(await startCollector());

async function open(service: string, ratio: string): Promise<Tracing> {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: ratio };
  const opened = await openTracing(service, parseConfig(tracingConfig, env), createLogger('test', 'silent'));
  if (!opened) throw new Error('it is off');
  return opened;
}

it('every service records its spans of a sampled trace', async () => {
  const [first, second] = [await open('first', '0.3'), await open('second', '0.3')];
  for (let index = 0; index < 1000; index += 1) {
    // The client's sampled flag is ignored.
    const parent = `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
    const span = first.start({ name: 'a', kind: 'server', parent });
    second.start({ name: 'b', kind: 'consumer', parent: span.traceparent }).end();
    span.end();
  }
  await Promise.all([first.stop(), second.stop()]);
  const traces = (service: string) =>
    collector.spans.filter((span) => span.service === service).map(({ traceId }) => traceId);
  expect(traces('first').length).toBeGreaterThan(200);
  expect(traces('first').length).toBeLessThan(400);
  expect(traces('first').toSorted()).toEqual(traces('second').toSorted());
});

it('a trace that is not sampled is passed on in webhooks as not sampled', async () => {
  const tracing = await open('none', '0');
  const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const span = tracing.start({ name: 'a', kind: 'server', parent });
  expect(span.traceparent).toMatch(
    /^00-4bf92f3577b34da6a3ce929d0e0e4736-(?!00f067aa0ba902b7)[0-9a-f]{16}-00$/,
  );
  span.end();
  await tracing.stop();
  expect(collector.spans.filter(({ service }) => service === 'none')).toEqual([]);
});
