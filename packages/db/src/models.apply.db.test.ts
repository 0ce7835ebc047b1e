import { type ModelDefinition, modelDefinition } from '@holdfast/domain/modelDefinition';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, describe, expect, it } from '@jest/globals';
import { applyModels, openModelCatalogue, readModel, saveConsoleModel } from './models.ts';

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
    expect(await applyModels(db, [model('first'), model('second')])).toEqual({
      withdrawn: [],
      conflicts: [],
    });
    expect(await offered()).toEqual(['first', 'second']);
    expect((await applyModels(db, [model('second')])).withdrawn).toEqual(['first']);
    expect((await applyModels(db, [model('second')])).withdrawn).toEqual([]);
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
    expect((await applyModels(db, [model('second')])).withdrawn).toEqual([]);
    expect(await state('first')).toEqual([false, false]);
  });

  it('offers a model again when its file returns', async () => {
    await applyModels(db, [model('second')]);
    expect((await applyModels(db, [model('first'), model('second')])).withdrawn).toEqual([]);
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

describe('a model of the console', () => {
  const priced = (slug: string, price: string) => ({ ...model(slug), price: { per_run: price } });
  const save = (slug: string, price: string, version: string | null) =>
    saveConsoleModel(db, {
      slug,
      definition: JSON.stringify(priced(slug, price)),
      yaml: `# ${price}`,
      isActive: true,
      version,
    });
  const state = async (slug: string) => {
    const found = await readModel(db, slug);
    return found && [found.source, found.definition.price.per_run, found.isActive, found.yaml];
  };

  it('is replaced only by who saw its version, and once by a request that is repeated', async () => {
    expect(await save('own', '1', null)).toBe(true);
    expect(await save('own', '1', null)).toBe(true);
    expect(await save('own', '2', null)).toBe(false);
    const { version = '' } = (await readModel(db, 'own')) ?? {};
    const all = await Promise.all(['3', '4', '5'].map((price) => save('own', price, version)));
    expect(all.filter(Boolean)).toHaveLength(1);
    expect(await save('own', '6', version)).toBe(false);
  });

  it('stays when files say something else or nothing, which is a conflict, and is theirs when they say the same', async () => {
    await save('ours', '1', null);
    expect(await applyModels(db, [model('second')])).toMatchObject({ conflicts: [] });
    expect(await applyModels(db, [priced('ours', '2')])).toMatchObject({ conflicts: ['ours'] });
    expect(await state('ours')).toEqual(['console', '1', true, '# 1']);
    const texts = new Map([['ours', '# a file']]);
    expect(await applyModels(db, [priced('ours', '1')], undefined, { texts })).toMatchObject({
      conflicts: [],
    });
    expect(await state('ours')).toEqual(['file', '1', true, '# a file']);
  });

  it('is replaced by a file on request', async () => {
    await save('mine', '1', null);
    const replaced = await applyModels(db, [priced('mine', '2')], undefined, { replacesConsole: true });
    expect(replaced.conflicts).toEqual([]);
    expect((await state('mine'))?.slice(0, 2)).toEqual(['file', '2']);
  });

  it('is offered again once its provider is configured', async () => {
    await save('later', '1', null);
    await applyModels(db, [model('second')], ({ slug }) => slug !== 'later');
    expect(await state('later')).toEqual(['console', '1', false, '# 1']);
    await applyModels(db, [model('second')]);
    expect(await state('later')).toEqual(['console', '1', true, '# 1']);
  });
});
