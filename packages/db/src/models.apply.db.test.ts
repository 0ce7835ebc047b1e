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
  it('offers what it was given last; what is gone from it is withdrawn once, and known for what runs yet', async () => {
    expect(await applyModels(db, [model('first'), model('second')])).toEqual([]);
    expect(await offered()).toEqual(['first', 'second']);
    expect(await applyModels(db, [model('second')])).toEqual(['first']);
    expect(await applyModels(db, [model('second')])).toEqual([]);
    expect(await offered()).toEqual(['second']);
    expect((await openModelCatalogue(db).get('first'))?.definition).toMatchObject({ slug: 'first' });
  });

  it('one that cannot be offered now is known as meant to be, until it is withdrawn', async () => {
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

  it('is read by services of the version before too, which know of one provider', async () => {
    await applyModels(db, [model('first')]);
    const { rows } = await db.pool.query(
      `SELECT definition -> 'provider' AS provider FROM models WHERE slug = 'first'`,
    );
    expect(rows[0].provider).toMatchObject({ adapter: 'cog', connection: 'theirs', model: 'first' });
    expect((await openModelCatalogue(db).get('first'))?.definition).toEqual(model('first'));
  });

  it('offers a model again whose file came back', async () => {
    await applyModels(db, [model('second')]);
    expect(await applyModels(db, [model('first'), model('second')])).toEqual([]);
    expect(await offered()).toEqual(['first', 'second']);
  });
});
