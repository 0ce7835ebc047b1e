import { testOrganization } from '@holdfast/db/organizations';
import { newId } from '@holdfast/domain/ids';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { ProviderRoute } from '@holdfast/domain/modelRoute';
import type { Connection } from '@holdfast/providers/connection';
import { createTestOrganization } from '@holdfast/testkit/testData';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { describe, expect, it } from '@jest/globals';
import { createRouteFilter, routesFor } from './routes.ts';

const at = (connection: string) => ({ adapter: 'cog', connection, model: 'm' }) as ProviderRoute;
const connection = { baseUrl: 'http://127.0.0.1:1', settings: {} } as unknown as Connection;

it('a test organization reaches the sandbox only, and is looked up once', async () => {
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
    await db.pool.query('ALTER TABLE organizations RENAME TO organizations_hidden');
    expect(await reached(test ?? '')).toEqual(['sandbox']);
    await expect(reached(newId('org'))).rejects.toThrow();
    await db.pool.query('ALTER TABLE organizations_hidden RENAME TO organizations');
    expect(await reached(newId('org'))).toEqual(['sandbox', 'real']);
  } finally {
    await close();
  }
});

const route = (connection: string, part: Partial<ProviderRoute> = {}) =>
  ({ connection, model: `${connection}-model`, ...part }) as ProviderRoute;
const modelOf = (...providers: ProviderRoute[]) => ({ providers }) as ModelDefinition;

describe('the routes of an execution', () => {
  const names = (...given: Parameters<typeof routesFor>) =>
    routesFor(...given).map(({ connection }) => connection);
  const all = () => true;

  it('are in the order of the model, but for the first, which is drawn by weight', () => {
    const plain = modelOf(route('a'), route('b'));
    expect([0, 0.99].map((chance) => names(plain, null, all, chance))).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    const weighted = modelOf(route('a', { weight: 1 }), route('b', { weight: 3 }), route('c'));
    const firsts = [0, 0.24, 0.25, 0.99].map((chance) => names(weighted, null, all, chance)[0]);
    expect(firsts).toEqual(['a', 'a', 'b', 'b']);
    expect(names(weighted, null, all, 0.9)).toEqual(['b', 'a', 'c']);
  });

  it('of a retry start where it was scheduled, and leave out providers that refused it', () => {
    const model = modelOf(route('a'), route('b'), route('c'));
    const retry = (connection: string, ...refusedAt: string[]) => ({
      attemptId: 'att',
      connection,
      target: `${connection}-model`,
      refusedAt: refusedAt.map((one) => [one, `${one}-model`] as const),
    });
    expect(names(model, retry('b'), all)).toEqual(['b', 'c', 'a']);
    expect(names(model, retry('b', 'a'), all)).toEqual(['b', 'c']);
    expect(names(model, retry('b', 'b', 'c'), all)).toEqual(['b', 'a']);
    expect(names(model, retry('gone', 'a'), all)).toEqual(['b', 'c']);
    expect(names(model, retry('gone', 'a', 'b', 'c'), all)).toEqual(['a', 'b', 'c']);
  });

  it('leave out what is not configured, and are none for an unknown model', () => {
    const model = modelOf(route('a'), route('b'));
    expect(names(model, null, ({ connection }) => connection === 'b')).toEqual(['b']);
    expect(routesFor(null, null, all)).toEqual([]);
  });
});
