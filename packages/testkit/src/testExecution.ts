import type { Database } from '@holdfast/db/client';
import { insertExecutions, type NewExecution } from '@holdfast/db/executions/insert';
import { newId } from '@holdfast/domain/ids';

/** Inserts a pending execution with a hold of 0.60 by default. @throws when it is not created */
export async function insertTestExecution(
  db: Database,
  fields: Pick<NewExecution, 'organizationId'> & Partial<NewExecution>,
): Promise<string> {
  const execution = {
    id: newId('exec'),
    apiKeyId: 'key',
    idempotencyKey: null,
    requestHash: null,
    model: 'm',
    inputJson: '{}',
    metadataJson: null,
    webhookUrl: null,
    holdAmount: '0.60',
    estimatedCost: '0.50',
    timeoutS: 600,
    ...fields,
  };
  const [result] = await insertExecutions(db, [execution]);
  if (result?.kind !== 'created') throw new Error('the execution was not created');
  return execution.id;
}
