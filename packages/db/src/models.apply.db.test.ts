import { type ModelDefinition, modelDefinition } from '@holdfast/domain/modelDefinition';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, describe, expect, it } from '@jest/globals';
import { applyModels, openModelCatalogue } from './models.ts';

const { db, close } = await openTestDatabase();
afterAll(close);

const model = (slug: string): ModelDefinition =>
  modelDefinition.parse({
    slug,
    provider: { adapter: 'cog', connection: 'theirs', model: slug },
    input_schema: { type: 'object' },
    price: { per_run: '0.01' },
    output: { kind: 'raw' },
  });

async function offered(): Promise<string[]> {
  const models = await openModelCatalogue(db).list();
  return models.filter(({ isActive }) => isActive).map(({ definition }) => definition.slug);
}

describe('the catalogue', () => {
  it('offers the models applied last; missing ones are withdrawn once and stay readable for open executions', async () => {
    expect(await applyModels(db, [model('first'), model('second')])).toEqual([]);
    expect(await offered()).toEqual(['first', 'second']);
    expect(await applyModels(db, [model('second')])).toEqual(['first']);
    expect(await applyModels(db, [model('second')])).toEqual([]);
    expect(await offered()).toEqual(['second']);
    expect((await openModelCatalogue(db).get('first'))?.definition).toMatchObject({ slug: 'first' });
  });

  it('keeps a model that cannot be offered now marked as active until it is withdrawn', async () => {
    const state = async (slug: string) => {
      const found = await openModelCatalogue(db).get(slug);
      return [found?.isActive, found?.definition.active];
    };
    await applyModels(db, [model('first'), model('second')], ({ slug }) => slug !== 'first');
    expect([await state('first'), await state('second')]).toEqual([
      [false, true],
      [true, true],
    ]);
    expect(await applyModels(db, [model('second')])).toEqual([]);
    expect(await state('first')).toEqual([false, false]);
  });

  it('offers a model again when its file returns', async () => {
    await applyModels(db, [model('second')]);
    expect(await applyModels(db, [model('first'), model('second')])).toEqual([]);
    expect(await offered()).toEqual(['first', 'second']);
  });

  it('keeps replaced definitions for 30 days, for the executions that were created with them', async () => {
    const later: ModelDefinition = { ...model('first'), price: { per_run: '7' } };
    await applyModels(db, [model('first')]);
    const old = await openModelCatalogue(db).get('first');
    await applyModels(db, [later]);
    const catalogue = openModelCatalogue(db);
    const current = await catalogue.get('first');
    expect(await catalogue.version(old?.version ?? '')).toEqual(model('first'));
    expect(await catalogue.version(current?.version ?? '')).toBe(current?.definition);

    await db.pool.query(
      `UPDATE model_versions SET replaced_at = now() - interval '31 days' WHERE replaced_at IS NOT NULL`,
    );
    await applyModels(db, [model('second'), later]);
    const after = openModelCatalogue(db);
    expect(await after.version(old?.version ?? '')).toBeNull();
    expect(await after.version(current?.version ?? '')).toEqual(later);
  });

  it('uses the earlier version again when a definition returns', async () => {
    await applyModels(db, [model('first')]);
    const before = await openModelCatalogue(db).get('first');
    await applyModels(db, [{ ...model('first'), timeout_s: 60 }]);
    await applyModels(db, [model('first')]);
    expect(await openModelCatalogue(db).get('first')).toEqual(before);
    const { rows } = await db.pool.query('SELECT replaced_at FROM model_versions WHERE id = $1', [
      before?.version,
    ]);
    expect(rows).toEqual([{ replaced_at: null }]);
  });
});
