import { topUp } from '@holdfast/db/balances';
import type { Database } from '@holdfast/db/client';
import { createOrganization, findOrganizationByName } from '@holdfast/db/organizations';
import { newId } from '@holdfast/domain/ids';
import { newWebhookSecret } from '@holdfast/domain/webhookSignature';
import { createSealedBox, type EncryptionKeys } from '@holdfast/kit/sealedBox';

const demoName = 'Demo';
const demoBalance = '100';

/** The id of the demo organization, which gets a balance of 100 once. */
export async function demoOrganization(db: Database, keys: EncryptionKeys): Promise<string> {
  const known = await findOrganizationByName(db, demoName);
  const sealedSecret = createSealedBox(keys).seal(newWebhookSecret());
  const { id } = known ?? (await createOrganization(db, { id: newId('org'), name: demoName, sealedSecret }));
  await topUp(db, {
    organizationId: id,
    amount: demoBalance,
    reason: 'demo',
    idempotencyKey: 'demo-balance',
  });
  return id;
}
