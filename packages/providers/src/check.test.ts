import type { Adapter } from '@holdfast/domain/modelRoute';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checkConnection } from './check.ts';
import { type FakeCog, startFakeCog } from './cog/testing/fakeCog.ts';
import { type Counterpart, type Reply, startCounterpart } from './conformance/counterpart.ts';

let counterpart: Counterpart;
beforeEach(async () => {
  counterpart = await startCounterpart();
});
afterEach(() => counterpart.close());

const ask = (adapter: Adapter | null) =>
  checkConnection(adapter && { adapter }, {
    baseUrl: counterpart.baseUrl,
    apiKey: 'sk-of-the-tests',
    settings: {},
  });

const noDatabase = { error: { message: 'No connected db. (sk-of-the-tests)', type: 'no_db_connection' } };

it.each<[string, Reply, object]>([
  [
    'lists its models',
    { status: 200, json: { data: [{ id: 'a' }, { id: 'b:latest' }] } },
    { key: 'accepted', said: '', models: ['a', 'b:latest'] },
  ],
  ['answers with something else', { status: 200, json: {} }, { key: 'accepted', models: null }],
  [
    'refuses the key',
    { status: 401, json: { error: 'who are you' } },
    { key: 'refused', status: 401, said: '401 {"error":"who are you"}' },
  ],
  [
    'answers a wrong key with 400',
    { status: 400, json: noDatabase },
    { key: 'unclear', status: 400, said: expect.stringMatching(/^400 .*No connected db\. \(\[key\]\)/) },
  ],
  ['is broken', { status: 502, text: 'bad gateway' }, { key: 'unclear', said: '502 bad gateway' }],
  ['has no such list', { status: 404, json: {} }, { key: 'not checked', models: null }],
])("a server of OpenAI's protocol that %s", async (_how, reply, checked) => {
  counterpart.reply(reply);
  expect(await ask('openai')).toMatchObject({ unreached: null, ...checked });
  expect(counterpart.received).toMatchObject([{ method: 'GET', path: '/v1/models' }]);
});

it.each(['cog', 'http', 'fal', null] as const)(
  'a server that speaks %s is only asked whether it is there',
  async (adapter) => {
    counterpart.reply({ status: 404, text: 'no page' });
    expect(await ask(adapter)).toMatchObject({ unreached: null, key: 'not checked', models: null });
  },
);

it('a server that is gone is not reached', async () => {
  await counterpart.close();
  expect(await ask('openai')).toMatchObject({ unreached: expect.stringMatching(/./), key: 'not checked' });
});

const route = { adapter: 'cog', model: 'upscaler', options: {} } as const;

describe('the check of a Cog container', () => {
  let fake: FakeCog;
  beforeEach(async () => {
    fake = await startFakeCog();
  });
  afterEach(() => fake.close());

  it('finds nothing wrong with one that is up, busy or on its way up', async () => {
    expect(await checkConnection(route, fake)).toMatchObject({ unreached: null, trouble: null });
    fake.plan({ slots: 0 });
    expect((await checkConnection(route, fake)).trouble).toBeNull();
    fake.plan({ setup: 'under way' });
    expect((await checkConnection(route, fake)).trouble).toBeNull();
  });

  it('says why one takes no runs', async () => {
    fake.plan({ setup: 'failed' });
    expect((await checkConnection(route, fake)).trouble).toBe(
      'it takes no runs: it says SETUP_FAILED, no weights',
    );
    fake.plan({ setup: 'done' });
    fake.killWorker();
    expect((await checkConnection(route, fake)).trouble).toMatch(/it says UNHEALTHY, Healthcheck error/);
  });
});
