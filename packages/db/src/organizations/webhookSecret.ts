import type { Database } from '../client.ts';

/** The sealed secret that signs what an execution's `webhook_url` receives. */
export async function getWebhookSecret(db: Database, organizationId: string): Promise<string> {
  const { webhookSecret } = await db.prisma.organization.findUniqueOrThrow({
    where: { id: organizationId },
    select: { webhookSecret: true },
  });
  return webhookSecret;
}

export async function setWebhookSecret(
  db: Database,
  organizationId: string,
  sealedSecret: string,
): Promise<void> {
  await db.prisma.organization.update({
    where: { id: organizationId },
    data: { webhookSecret: sealedSecret },
    select: { id: true },
  });
}
