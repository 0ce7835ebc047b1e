import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Database, openDatabase } from '../client.ts';
import { openModelCatalogue } from './cache.ts';

let db: Database;
let drop: () => Promise<void>;

beforeAll(async () => {
  const database = await createTestDatabase();
  drop = database.drop;
  db = openDatabase({ url: database.url, poolSize: 2, applicationName: 'test' });
});

afterAll(async () => {
  await db.close();
  await drop();
});

it('a model that another process knows already is found, though this one has just read the table', async () => {
  const catalogue = openModelCatalogue(db);
  expect(await catalogue.list()).toEqual([]);
  await db.pool.query(`INSERT INTO models (slug, definition) VALUES ('new', '{}')`);
  expect(await openModelCatalogue(db).get('new')).not.toBeNull();
  expect(await catalogue.get('new')).toBeNull();
  expect(await catalogue.find('new')).not.toBeNull();
  expect(await catalogue.find('unknown')).toBeNull();
});
