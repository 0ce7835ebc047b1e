import type { OrganizationRow } from '@holdfast/db/organizations/create';
import { z } from 'zod';
import { idField, timestamp } from '../http/fields.ts';

export const OrganizationRecord = z
  .object({ id: idField('org'), name: z.string(), created_at: timestamp('When it was made') })
  .meta({ id: 'Organization' });

export function organizationRecord(row: OrganizationRow): z.infer<typeof OrganizationRecord> {
  return { id: row.id, name: row.name, created_at: row.createdAt.toISOString() };
}
