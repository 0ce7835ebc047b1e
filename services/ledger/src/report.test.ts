import { createLogger } from '@holdfast/kit/logger';
import { createRegistry } from '@holdfast/kit/metrics';
import { expect, it, jest } from '@jest/globals';
import { ledgerMetrics } from './metrics.ts';
import { createReport } from './report.ts';

it('a write-off is counted by the cap that caused it, and logged', async () => {
  const registry = createRegistry('test');
  const log = createLogger('test', 'silent');
  const info = jest.spyOn(log, 'info');
  const report = createReport({ metrics: ledgerMetrics(registry), tracing: null, log });
  const ended = { organizationId: 'org_1', model: 'm', traceparent: null, eventId: null, deliveryIds: [] };
  const writeOff = { amount: '4.40000000', reason: 'balance' } as const;
  report('COMPLETED')(
    [
      { ...ended, executionId: 'exec_1', writeOff },
      { ...ended, executionId: 'exec_2', writeOff: null },
    ],
    Date.now(),
  );
  const metric = await registry.getSingleMetric('holdfast_written_off_amount_total')?.get();
  expect(metric?.values).toMatchObject([{ labels: { reason: 'balance' }, value: 4.4 }]);
  const logged = info.mock.calls.map(([fields]) => fields);
  expect(logged).toMatchObject([{ writtenOff: '4.40000000', reason: 'balance' }, { executionId: 'exec_2' }]);
  expect(logged[1]).not.toHaveProperty('writtenOff');
});
