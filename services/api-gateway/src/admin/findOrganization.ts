import type { OrganizationRow } from '@holdfast/db/organizations';
import { getOrganization } from '@holdfast/db/organizations';
import type { Context } from '../context.ts';
import { knownShape, notFound } from '../http/fields.ts';

/** @throws ApiError NOT_FOUND */
export async function findOrganization(context: Context, id: string): Promise<OrganizationRow> {
  const organization = await getOrganization(context.db, knownShape('org', id, 'organization'));
  if (!organization) throw notFound('organization');
  return organization;
}
