import { testOrganization } from '@holdfast/db/organizations';
import { newId } from '@holdfast/domain/ids';
import type { ProviderRoute } from '@holdfast/domain/modelRoute';
import type { Connection } from '@holdfast/providers/connection';
import { createTestOrganization } from '@holdfast/testkit/testData';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { expect, it } from '@jest/globals';
import { createRouteFilter } from './routes.ts';

const at = (connection: string) => ({ adapter: 'cog', connection, model: 'm' }) as ProviderRoute;
const connection = { baseUrl: 'http://127.0.0.1:1', settings: {} } as unknown as Connection;

it('a test organization reaches the sandbox alone, whatever providers a model has by now; asked once', async () => {
  const { db, close } = await openTestDatabase();
  try {
    const live = await createTestOrganization(db, '1');
    const test = await testOrganization(db, { of: live, id: newId('org'), sealedSecret: 'sealed' });
    const filterFor = createRouteFilter(db, { sandbox: connection, real: connection });
    const reached = async (id: string) => {
      const isAllowed = await filterFor(id);
      return ['sandbox', 'real', 'unconfigured'].filter((name) => isAllowed(at(name)));
    };
    expect(await reached(live)).toEqual(['sandbox', 'real']);
    expect(await reached(test ?? '')).toEqual(['sandbox']);
    await db.pool.query('ALTER TABLE organizations RENAME TO organizations_away');
    expect(await reached(test ?? '')).toEqual(['sandbox']);
    await expect(reached(newId('org'))).rejects.toThrow();
    await db.pool.query('ALTER TABLE organizations_away RENAME TO organizations');
    expect(await reached(newId('org'))).toEqual(['sandbox', 'real']);
  } finally {
    await close();
  }
});
