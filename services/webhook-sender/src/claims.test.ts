import { openDatabase } from '@holdfast/db/client';
import { createLogger } from '@holdfast/kit/logger';
import { createRegistry } from '@holdfast/kit/metrics';
import { asRole } from '@holdfast/testkit/asRole';
import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { expect, it, jest } from '@jest/globals';
import { createClaims } from './claims.ts';
import { webhookMetrics } from './metrics.ts';

it('claims that fail are told of: the lanes only give up', async () => {
  const database = await createTestDatabase();
  // A role that may not.
  const url = asRole(database.url, 'holdfast_dispatcher');
  const db = openDatabase({ url, poolSize: 1, applicationName: 'test' });
  const log = createLogger('test', 'silent');
  const error = jest.spyOn(log, 'error');
  const metrics = webhookMetrics(createRegistry('test'));
  const claim = createClaims({ db, maxAttempts: 5, senders: () => 1, metrics, log });
  await expect(claim({ lane: 'wh_1', room: 1 })).rejects.toThrow('permission denied');
  expect(error).toHaveBeenCalledTimes(1);
  await db.close();
  await database.drop();
});
