import type { Adapter } from '@holdfast/domain/modelRoute';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checkConnection } from './check.ts';
import { type FakeCog, startFakeCog } from './cog/testing/fakeCog.ts';
import { type FakeServer, type Reply, startFakeServer } from './conformance/fakeServer.ts';

let fakeServer: FakeServer;
beforeEach(async () => {
  fakeServer = await startFakeServer();
});
afterEach(() => fakeServer.close());

const ask = (adapter: Adapter | null) =>
  checkConnection(adapter && { adapter }, {
    baseUrl: fakeServer.baseUrl,
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
  ['responses with something else', { status: 200, json: {} }, { key: 'accepted', models: null }],
  [
    'refuses the key',
    { status: 401, json: { error: 'who are you' } },
    { key: 'refused', status: 401, said: '401 {"error":"who are you"}' },
  ],
  [
    'responses a wrong key with 400',
    { status: 400, json: noDatabase },
    { key: 'unclear', status: 400, said: expect.stringMatching(/^400 .*No connected db\. \(\[key\]\)/) },
  ],
  ['is broken', { status: 502, text: 'bad gateway' }, { key: 'unclear', said: '502 bad gateway' }],
  ['has no such list', { status: 404, json: {} }, { key: 'not checked', models: null }],
])('the check of an OpenAI-compatible server that %s', async (_how, reply, checked) => {
  fakeServer.reply(reply);
  expect(await ask('openai')).toMatchObject({ unreached: null, ...checked });
  expect(fakeServer.received).toMatchObject([{ method: 'GET', path: '/v1/models' }]);
});

it.each(['cog', 'http', 'fal', null] as const)(
  'the check of a server that speaks %s only finds out whether it responds',
  async (adapter) => {
    fakeServer.reply({ status: 404, text: 'no page' });
    expect(await ask(adapter)).toMatchObject({ unreached: null, key: 'not checked', models: null });
  },
);

it('the check of a server that does not exist reports that it is unreachable', async () => {
  await fakeServer.close();
  expect(await ask('openai')).toMatchObject({ unreached: expect.stringMatching(/./), key: 'not checked' });
});

const route = { adapter: 'cog', model: 'upscaler', options: {} } as const;

describe('the check of a Cog container', () => {
  let fake: FakeCog;
  beforeEach(async () => {
    fake = await startFakeCog();
  });
  afterEach(() => fake.close());

  it('finds no problem with one that is ready, busy or starting', async () => {
    expect(await checkConnection(route, fake)).toMatchObject({ unreached: null, problem: null });
    fake.plan({ slots: 0 });
    expect((await checkConnection(route, fake)).problem).toBeNull();
    fake.plan({ setup: 'under way' });
    expect((await checkConnection(route, fake)).problem).toBeNull();
  });

  it('reports why one accepts no runs', async () => {
    fake.plan({ setup: 'failed' });
    expect((await checkConnection(route, fake)).problem).toBe(
      'it takes no runs: it says SETUP_FAILED, no weights',
    );
    fake.plan({ setup: 'done' });
    fake.killWorker();
    expect((await checkConnection(route, fake)).problem).toMatch(/it says UNHEALTHY, Healthcheck error/);
  });
});
