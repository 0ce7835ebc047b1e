import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, expect, it } from '@jest/globals';
import { openModelCatalogue } from './models.ts';

const { db, close } = await openTestDatabase();
afterAll(close);

it('a model that another process has just added is found, although this process has read the table', async () => {
  const catalogue = openModelCatalogue(db);
  expect(await catalogue.list()).toEqual([]);
  await db.pool.query(`INSERT INTO models (slug, definition) VALUES ('new', '{}')`);
  expect(await openModelCatalogue(db).get('new')).not.toBeNull();
  expect(await catalogue.get('new')).toBeNull();
  expect(await catalogue.find('new')).not.toBeNull();
  expect(await catalogue.find('unknown')).toBeNull();
});
