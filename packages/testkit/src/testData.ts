import { createApiKey } from '@holdfast/db/apiKeys';
import { topUp } from '@holdfast/db/balances';
import type { Database } from '@holdfast/db/client';
import { insertExecutions, type NewExecution } from '@holdfast/db/executions/insert';
import { createOrganization } from '@holdfast/db/organizations';
import { apiKeyPrefix, hashApiKey, newApiKey } from '@holdfast/domain/apiKey';
import { newId } from '@holdfast/domain/ids';
import type { Money } from '@holdfast/domain/money';
import { newWebhookSecret } from '@holdfast/domain/webhookSignature';
import type { SealedBox } from '@holdfast/kit/sealedBox';
import { type ApiClient, apiClient } from './apiClient.ts';

/** The webhook secret cannot be opened. */
export async function createTestOrganization(db: Database, balance: Money): Promise<string> {
  const { id } = await createOrganization(db, { id: newId('org'), name: 'Test', sealedSecret: 'none' });
  await topUp(db, { organizationId: id, amount: balance, reason: null, idempotencyKey: null });
  return id;
}

/** An organization that uses the API: it has a key, a balance and a webhook secret. */
export type Customer = { organizationId: string; apiKey: string; api: ApiClient };

export async function createCustomer(args: {
  db: Database;
  box: SealedBox;
  baseUrl: string;
  balance: Money;
}): Promise<Customer> {
  const { db, box, baseUrl, balance } = args;
  const organizationId = newId('org');
  await createOrganization(db, {
    id: organizationId,
    name: 'Customer',
    sealedSecret: box.seal(newWebhookSecret()),
  });
  await topUp(db, { organizationId, amount: balance, reason: null, idempotencyKey: null });
  const apiKey = newApiKey();
  await createApiKey(db, {
    id: newId('key'),
    organizationId,
    name: 'test',
    permissions: 'full',
    hash: hashApiKey(apiKey),
    prefix: apiKeyPrefix(apiKey),
  });
  return { organizationId, apiKey, api: apiClient(baseUrl, apiKey) };
}

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
