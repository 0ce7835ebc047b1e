import type { Database } from '@holdfast/db/client';
import { isTestOrganization } from '@holdfast/db/organizations';
import { isSandbox, type ProviderRoute } from '@holdfast/domain/modelRoute';
import type { Connection } from '@holdfast/providers/connection';
import { isConfigured } from '@holdfast/providers/connectionConfig';

/** Where the runs of an organization may be sent: to what is configured; of a test organization, to the sandbox alone. */
export type OpenTo = (organizationId: string) => Promise<(route: ProviderRoute) => boolean>;

const maxKnown = 10_000;

/**
 * A model may have got another provider since a test was accepted, so this is asked of each run. What an organization is
 * stays as it is: the database is asked once.
 */
export function openToOrganizations(db: Database, connections: Record<string, Connection>): OpenTo {
  const known = new Map<string, Promise<boolean>>();

  function isTest(id: string): Promise<boolean> {
    const asked = known.get(id);
    if (asked) return asked;
    const answer = isTestOrganization(db, id);
    if (known.size >= maxKnown) known.delete(known.keys().next().value ?? '');
    known.set(id, answer);
    answer.catch(() => known.delete(id));
    return answer;
  }

  return async (organizationId) => {
    const isForTests = await isTest(organizationId);
    return (route) => isConfigured(route, connections) && (!isForTests || isSandbox(route));
  };
}
