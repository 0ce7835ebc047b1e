import type { Database } from '@holdfast/db/client';
import type { WebhookDialect } from '@holdfast/domain/webhookDialect';
import { openFalKeyPairs } from '@holdfast/kit/keyPairs';
import { type EncryptionKeys } from '@holdfast/kit/sealedBox';
import { openFileLinks } from '@holdfast/kit/signer';
import { createBodyIn } from './dialect.ts';
import { createFalWebhook } from './falWebhook.ts';

/** A webhook in another service's words, made at each attempt: its body, and headers beside our own. */
export type InDialect<Dialect = WebhookDialect> = (reported: {
  dialect: Dialect;
  eventType: string;
  executionId: string;
}) => Promise<{ body: string; headers: Record<string, string> }>;

export function openDialects(db: Database, keys: EncryptionKeys): InDialect {
  const links = openFileLinks(keys);
  const bodyIn = createBodyIn(db, links);
  const falWebhook = createFalWebhook(db, links, openFalKeyPairs(keys));
  return async ({ dialect, ...event }) => {
    if (dialect.name === 'replicate') return { body: await bodyIn({ ...event, dialect }), headers: {} };
    if (dialect.name === 'fal') return await falWebhook({ ...event, dialect });
    throw new Error('the dialect is that of a newer version');
  };
}
