import { createServer } from 'node:http';
import { holdfast, holdfastHere, holdfastInShell, startHoldfast } from '@holdfast/cli/testing/holdfast';
import { isApiKeyShape } from '@holdfast/domain/apiKey';
import { newId } from '@holdfast/domain/ids';
import { listenAt } from '@holdfast/kit/http';
import { servicePort } from '@holdfast/local/launch/ports';
import { apiClient } from '@holdfast/testkit/apiClient';
import { until } from '@holdfast/testkit/until';
import { describe, expect, it } from '@jest/globals';
import { startOperated } from '../stack/operator.ts';

type Identified = { id: string };

const operated = await startOperated();
const org = (await operated.json<Identified>('org', 'create', 'Acme')).id;
await operated.json('topup', org, '50');

const run = (...args: string[]) => operated.run(...args);
const lines = (text: string) => text.trimEnd().split('\n');

/** An execution of the organization, created with a key of its own. */
async function create(api: ReturnType<typeof apiClient>, input: object = { prompt: 'a' }): Promise<string> {
  const { status, body } = await api.post('/v1/executions', { model: 'sandbox-text', input });
  expect([status, body['error']]).toEqual([202, undefined]);
  return String(body['id']);
}

async function newClient(): Promise<ReturnType<typeof apiClient>> {
  const { key } = await operated.json<{ key: string }>('key', 'create', org, 'main');
  return apiClient(operated.stack.baseUrl, key);
}

describe('holdfast org, topup and correct', () => {
  it('create, list, show and limit an organization', async () => {
    const shown = await run('org', 'show', org);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toMatch(/^id {2,}org_.*\nname {2,}Acme\n/);
    const { data } = await operated.json<{ data: Identified[] }>('org', 'list');
    expect(data.map(({ id }) => id)).toContain(org);
    expect((await run('org', 'list')).stdout).toContain(org);
    await operated.json('org', 'limit', org, '--max-concurrency', '7', '--monthly-spend', '90');
    expect(await operated.json('org', 'show', org)).toMatchObject({
      max_concurrency: 7,
      spend_limit: { amount: '90.00' },
    });
    const without = ['--max-concurrency', 'none', '--monthly-spend', 'none'];
    expect(await operated.json('org', 'limit', org, ...without)).toMatchObject({
      max_concurrency: null,
      spend_limit: null,
    });
    expect(await operated.json('org', 'limit', org, '--overage', 'cap')).toMatchObject({
      overage: 'cap',
      in_force: { overage: 'cap', spend_limit_overage: 'cap' },
    });
    const facts = await run('org', 'limit', org, '--overage', 'default', '--spend-limit-overage', 'charge');
    expect(facts.stdout).toMatch(/^overage +charge \(default\)\nspend limit overage +charge$/m);
    expect(await run('org', 'limit', org, '--overage', 'never')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--overage needs charge, cap or default'),
    });
  });

  it('list the actions of operators', async () => {
    const { data } = await operated.json<{ data: object[] }>('actions', '--org', org, '--action', 'top-ups');
    expect(data).toMatchObject([{ actor: 'admin', status: 201, details: { amount: '50' } }]);
    const table = await run('actions', '--actor', 'admin', '--since', '1h', '--limit', '1');
    expect(table).toMatchObject({ code: 0, stderr: expect.stringContaining('--limit') });
    expect(lines(table.stdout)[0]).toMatch(/^AT \(UTC\) +STATUS +WHO +ACTION +FROM +ORGANIZATION/);
  });

  it('add to a balance once per key, and take back at most what is available', async () => {
    const { id } = await operated.json<Identified>('org', 'create', 'Rich');
    const once = ['topup', id, '25', '--idempotency-key', 'invoice-7'];
    expect(await run(...once)).toMatchObject({
      stdout: `${id}: 25.00 USD; now 25.00 available, 0.00 held\n`,
      stderr: '',
    });
    expect(await run(...once)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^org_\S+: already applied on \d{4}-\d\d-\d\d [\d:]+ UTC .* nothing changed; now 25\.00 available/,
      ),
      stderr: '',
    });
    expect(await operated.json(...once)).toMatchObject({ amount: '25.00', replayed: true });
    const corrected = await run('correct', id, '-3.50', '--reason', 'twice billed');
    expect(corrected).toMatchObject({
      code: 0,
      stdout: `${id}: -3.50 USD; now 21.50 available, 0.00 held\n`,
    });
    const tooMuch = await run('correct', id, '-100', '--reason', 'all of it');
    expect([tooMuch.code, tooMuch.stdout]).toEqual([1, '']);
    expect(tooMuch.stderr).toMatch(
      /--idempotency-key cli-[^\n]+\nholdfast: correct was refused: [^\n]+INSUFFICIENT/,
    );
  });
});

describe('holdfast review', () => {
  it('lists costs far above their holds, and accepts or writes off each once', async () => {
    const { api, organizationId: owner } = await operated.stack.newCustomer('20');
    const ids = [];
    for (const cost of ['12.5', '7.25']) {
      const id = await create(api, { prompt: 'a', cost });
      await until(`${id} has ended`, async () => (await api.get(`/v1/executions/${id}`)).body['cost']);
      ids.push(id);
    }
    const [dearest = '', other = ''] = ids;
    const listed = lines((await run('review', 'list', '--org', owner)).stdout);
    expect(listed[0]).toMatch(/^EXECUTION +ORGANIZATION +MODEL +CHARGED +REPORTED +AGE$/);
    expect(listed[1]).toMatch(new RegExp(`^${other} +${owner} +sandbox-text +0\\.012 +7\\.25 `));
    expect(listed[2]).toMatch(new RegExp(`^${dearest} .* 12\\.50 `));
    expect((await run('executions', 'show', other)).stdout).toMatch(
      /^review +7\.25 reported, open: holdfast/m,
    );

    expect(await run('review', 'accept', dearest)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('holdfast review accept needs --reason'),
    });
    const accept = ['review', 'accept', dearest, '--amount', '3', '--reason', 'as agreed'];
    const once = [...accept, '--idempotency-key', 'review-1'];
    expect(await run(...once)).toMatchObject({
      stdout: `${dearest}: accepted, 3.00 USD charged\n`,
      stderr: '',
    });
    expect((await run(...once)).stdout).toMatch(/charged on .* under this idempotency key; nothing changed/);
    const again = await run(...accept);
    expect([again.code, again.stdout]).toEqual([1, '']);
    expect(again.stderr).toMatch(/refused: This review was already accepted for 3\.00 by admin at .*DECIDED/);
    expect((await run('review', 'write-off', other, '--reason', 'an overflow')).stdout).toBe(
      `${other}: written off, nothing more is charged\n`,
    );
    expect((await operated.json<{ data: object[] }>('review', 'list', '--org', owner)).data).toEqual([]);
    const all = lines((await run('review', 'list', '--org', owner, '--all')).stdout);
    expect(all[1]).toMatch(/ written off +admin +an overflow$/);
    expect(all[2]).toMatch(/ accepted +3\.00 +admin +as agreed$/);
    expect((await run('executions', 'show', other)).stdout).toMatch(/^review +.*, written off by admin$/m);
  });
});

describe('a request that the admin API refuses', () => {
  it('is reported once, with its message', async () => {
    const { code, stderr } = await run('org', 'create', 'a'.repeat(201));
    expect(code).toBe(1);
    expect(stderr).toBe(
      'holdfast: org create was refused: name must have at most 200 characters. (INPUT_VALIDATION_ERROR)\n',
    );
  });

  it.each(['.', '..'])('is not sent with the id %s, which would change its path', async (id) => {
    expect(await run('org', 'show', id)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not an id'),
    });
  });
});

describe('holdfast key', () => {
  it('creates, lists, limits, rotates and revokes keys, and shows their values once', async () => {
    const made = await run('key', 'create', org, 'CI', '--permissions', 'execution');
    const value = /^key +(\S+)$/m.exec(made.stdout)?.[1] ?? '';
    expect(isApiKeyShape(value)).toBe(true);
    const { data } = await operated.json<{ data: (Identified & { name: string })[] }>('key', 'list', org);
    const id = data.find(({ name }) => name === 'CI')?.id ?? '';
    const table = await run('key', 'list', org);
    expect(table.stdout).not.toContain(value);
    const limited = await run('key', 'limit', org, id, '--monthly-spend', '5');
    expect(limited.stdout).toMatch(/^monthly spend {2}0\.\d+ of 5\.\d+$/m);
    expect((await run('key', 'list', org)).stdout).toMatch(/^CI .* 0\.\d+ of 5\.\d+ /m);
    expect((await run('key', 'limit', org, id, '--monthly-spend', 'none')).stdout).toContain('no limit');
    const { new_key: fresh } = await operated.json<{ new_key: string }>('key', 'rotate', org, id);
    expect((await apiClient(operated.stack.baseUrl, fresh).get('/v1/executions')).status).toBe(200);
    expect(await operated.json('key', 'revoke', org, id)).toEqual({ id, revoked: true });
    expect((await run('key', 'revoke', org, newId('key'))).code).toBe(1);
  });
});

describe('holdfast executions', () => {
  it('lists, shows with attempts, cancels and follows', async () => {
    const api = await newClient();
    const done = await create(api);
    const followed = await run('executions', 'tail', done);
    expect(followed.code).toBe(0);
    expect(lines(followed.stdout).at(-1)).toMatch(/^\d\d:\d\d:\d\d {2}COMPLETED {2}cost /);

    const list = await operated.json<{ data: Identified[] }>(
      'executions',
      'list',
      '--org',
      org,
      '--since',
      '1h',
    );
    expect(list.data.map(({ id }) => id)).toEqual([done]);
    const table = await run('executions', 'list', '--status', 'COMPLETED', '--model', 'sandbox-text');
    expect(table.stdout).toMatch(/^STATUS +MODEL +COST +ERROR +AGE +TOOK +ID +ORGANIZATION\n/);
    expect(table.stdout).toMatch(new RegExp(`COMPLETED +sandbox-text .* ${done} +${org}\n`));
    expect((await run('executions', 'list', '--org', org)).stdout).toMatch(/^STATUS +MODEL .* ID\n/);
    const shown = await run('executions', 'show', done);
    expect(shown.stdout).toMatch(/ATTEMPT +STATE +PROVIDER[^\n]+\n1 +succeeded +sandbox /);
    expect(await operated.json('executions', 'show', done)).toMatchObject({
      id: done,
      organization_id: org,
      attempts: [{ number: 1, state: 'succeeded' }],
    });

    const slow = await create(api, { prompt: 'a', delay_ms: 60_000 });
    expect((await run('executions', 'cancel', slow)).stdout).toBe(`${slow} is cancelled.\n`);
    expect((await run('executions', 'tail', slow)).code).toBe(1);
    const refused = await run('executions', 'cancel', done);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/^holdfast: executions cancel was refused: [^\n]+TERMINAL\)\n$/);
  });

  it('follows all executions of an organization until it is interrupted', async () => {
    const api = await newClient();
    const running = await create(api, { prompt: 'a', delay_ms: 60_000 });
    const tail = startHoldfast(['executions', 'tail', '--org', org, '--json'], operated.env);
    await until('the running executions are printed', () => tail.said().includes(running));
    const fresh = await create(api);
    await operated.json('executions', 'cancel', running);
    await until('both final statuses are printed', () => {
      const printed = tail
        .said()
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line));
      const has = (id: string, status: string) =>
        printed.some((one) => one.id === id && one.status === status);
      return has(running, 'CANCELLED') && has(fresh, 'COMPLETED');
    });
    expect(await tail.interrupt()).toBe(0);
  });

  it('stops following when its output is no longer read', async () => {
    const api = await newClient();
    const running = await create(api, { prompt: 'a', delay_ms: 60_000 });
    const tail = holdfastInShell(`executions tail --org ${org} | head -n 1`, operated.env);
    const ended = tail.then(() => true);
    // The closed pipe is noticed at the next line.
    while (!(await Promise.race([ended, Promise.resolve(false)]))) {
      await operated.json('executions', 'cancel', await create(api, { prompt: 'a', delay_ms: 60_000 }));
    }
    await operated.json('executions', 'cancel', running);
    expect(await tail).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('holdfast webhooks', () => {
  it('lists and shows the endpoints and deliveries of an organization with their attempts, and resends deliveries', async () => {
    const api = await newClient();
    const { receiver } = operated.stack;
    const { body: endpoint } = await api.post('/v1/webhooks/endpoints', {
      url: receiver.url,
      events: ['execution.completed'],
    });
    const wh = String(endpoint['id']);
    const done = await create(api);
    const path = `/v1/webhooks/endpoints/${wh}/deliveries?status=delivered`;
    await until('it is delivered', async () => {
      const { body } = await api.get(path);
      return (body['deliveries'] as Identified[]).length === 1;
    });
    expect((await run('webhooks', 'list', org)).stdout).toContain(wh);
    const shown = await operated.json<{ deliveries: Identified[] }>('webhooks', 'show', org, wh);
    expect(shown).toMatchObject({ id: wh, deliveries: [{ status: 'delivered', execution_id: done }] });
    const dlv = shown.deliveries[0]?.id ?? '';
    expect((await run('webhooks', 'show', org, wh)).stdout).toMatch(
      /waiting +0\n[^]+\nATTEMPTED \(UTC\) +RESULT[^\n]+\n[^\n]+ 200 /,
    );
    const attempted = await operated.json('webhooks', 'show', org, wh, '--attempted');
    expect(attempted).toMatchObject({ deliveries: [{ id: dlv }] });
    expect((await run('webhooks', 'show', org, dlv)).stdout).toMatch(/ATTEMPT +STATUS[^\n]+\n1 +200 /);
    expect((await run('webhooks', 'redeliver', org, dlv)).stdout).toBe(
      `${dlv} will be delivered again now.\n`,
    );
    const recovered = await operated.json('webhooks', 'recover', org, wh, '--since', '1h');
    expect(recovered).toMatchObject({ endpoint_id: wh, redelivered: expect.any(Number) });
    expect((await run('webhooks', 'show', newId('org'), wh)).code).toBe(1);
  });
});

describe('an error of the admin API', () => {
  const ask = (env: NodeJS.ProcessEnv) => holdfast(['org', 'list'], env);

  it('is reported in one line that says what to do', async () => {
    const { HOLDFAST_ADMIN_URL } = operated.env;
    const unused = `http://127.0.0.1:${await servicePort()}`;
    const cases = [
      [{}, 'npm start'],
      [{ HOLDFAST_ADMIN_URL }, 'set ADMIN_TOKEN'],
      [{ HOLDFAST_ADMIN_URL, ADMIN_TOKEN: 'wrong-token-of-admin' }, 'refused the token'],
      [{ HOLDFAST_ADMIN_URL: unused, ADMIN_TOKEN: 'any' }, 'ECONNREFUSED'],
      [{ HOLDFAST_ADMIN_URL: operated.stack.baseUrl, ADMIN_TOKEN: 'any' }, "is it the gateway's ADMIN_PORT"],
    ] as const;
    for (const [env, words] of cases) {
      const { stdout, stderr } = await ask({ ADMIN_TOKEN: '', HOLDFAST_ADMIN_URL: '', ...env });
      expect(stdout).toBe('');
      expect(stderr).toMatch(/^holdfast: [^\n]+\n$/);
      expect(stderr).toContain(words);
    }
  });

  it('is reported in one line when the response is from another version', async () => {
    const other = createServer((_request, response) => response.end('{"data":[{"id":7}]}'));
    const port = await listenAt(other, { host: '127.0.0.1', port: 0 });
    const env = { HOLDFAST_ADMIN_URL: `http://127.0.0.1:${port}`, ADMIN_TOKEN: 'any' };
    const { code, stderr } = await ask(env);
    other.close();
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /^holdfast: org list could not be run: [^\n]+\(has_more: [^\n]+are both of the same version\?\n$/,
    );
  });

  it.each([
    [['org', 'show'], 'holdfast org show takes <org>'],
    [
      ['org', 'limit', 'org_x'],
      'needs --max-concurrency, --monthly-spend, --overage or --spend-limit-overage',
    ],
    [['org', 'show', ''], '<org> of holdfast org show is empty'],
    [
      ['org', 'limit', 'org_x', '--max-concurrency', '5', '--monthly-spend', 'all'],
      '--monthly-spend needs an amount',
    ],
    [['topup', 'org_x', '1e5'], 'holdfast topup needs an amount such as 25.00'],
    [['topup', 'org_x', '-5'], 'holdfast topup needs an amount such as 25.00'],
    [['correct', 'org_x', '-1e3', '--reason', 'a'], 'such as 25.00 or -3.50'],
    [['key', 'create', 'org_x', 'ci', '--expires', '2020-01-01'], '--expires needs a future time'],
    [['executions', 'list', '--since', '-1h'], 'given as --since=-'],
    [['org'], 'holdfast org needs one of create, list, show, limit'],
    [['correct', 'org_x', '-1'], 'needs --reason'],
    [['correct', 'org_x', '--', '-1'], 'needs --reason'],
    [['key', 'limit', 'org_x', 'key_x'], 'holdfast key limit needs --monthly-spend'],
    [['key', 'limit', 'org_x', 'key_x', '--monthly-spend', '-5'], '--monthly-spend'],
    [['executions', 'list', '--since', 'soon'], '--since needs a time'],
    [['executions', 'list', '--status', 'DONE'], '--status needs one of PENDING'],
    [['executions', 'tail'], 'takes <execution> or --org'],
  ])('%j are invalid arguments', async (args, reason) => {
    const { code, stderr } = await holdfastHere(args);
    expect(code).toBe(2);
    expect(stderr).toContain(reason);
  });
});
