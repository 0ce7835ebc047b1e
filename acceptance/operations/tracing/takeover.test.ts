import { closing } from '@holdfast/testkit/closing';
import { testFolder } from '@holdfast/testkit/testFolder';
import { until } from '@holdfast/testkit/until';
import { expect, it } from '@jest/globals';
import { create, untilStatus } from '../../stack/executions.ts';
import { startFleet } from '../../stack/fleet.ts';
import { startCollector } from './collector.ts';

const collector = closing(await startCollector());
const fleet = closing(await startFleet(testFolder('traced'), { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }));

it('a takeover by another dispatcher is part of the same trace', async () => {
  const { api } = await fleet.newCustomer();
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
  const input = { prompt: 'a', mode: 'sync', delay_ms: 8000 };
  const id = await create(api, 'sandbox-text', input, {}, { traceparent });
  await untilStatus(api, id, 'PROCESSING');
  await fleet.kill('dispatcher');
  // The lease would last for another half a minute.
  await fleet.db.pool.query('UPDATE attempts SET lease_until = now() WHERE execution_id = $1', [id]);
  await until(
    'it has ended',
    async () => (await fleet.db.prisma.execution.findFirst({ where: { id } }))?.completedAt,
    60_000,
  );
  const spans = await until('its end is in the trace', () => {
    const found = collector.ofTrace(traceId);
    return (
      found.some(({ name }) => name === 'settle') && found.some(({ name }) => name === 'take over') && found
    );
  });
  const find = (name: string) => spans.find((span) => span.name === name);
  expect(find('take over')).toMatchObject({
    service: 'dispatcher',
    parentSpanId: find('POST /v1/executions')?.spanId,
    attributes: { 'holdfast.execution_id': id },
  });
  expect(find('recover sandbox')?.parentSpanId).toBe(find('take over')?.spanId);
  expect(find('settle')?.parentSpanId).toBe(find('POST /v1/executions')?.spanId);
}, 120_000);
