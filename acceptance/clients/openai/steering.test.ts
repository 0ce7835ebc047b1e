import { request as send } from 'node:http';
import { pipeline } from 'node:stream';
import { closing } from '@holdfast/testkit/closing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { stackOfTests } from '../../stack/stackOfTests.ts';
import { startProxy } from '../proxy.ts';
import { installNode, runNode, runPython } from './programs.ts';

/** Shorter than a run that takes three seconds. */
const stack = await stackOfTests({ COMPATIBLE_APIS: 'openai', COMPATIBLE_WAIT_S: '2' });
const requests: string[] = [];
const proxy = closing(
  await startProxy((incoming, response) => {
    requests.push(String(incoming.headers['x-call']));
    const { method, headers, url = '/' } = incoming;
    const outgoing = send(new URL(url, stack.baseUrl), { method, headers }, (from) => {
      response.writeHead(from.statusCode ?? 502, from.headers);
      pipeline(from, response, () => {});
    });
    pipeline(incoming, outgoing, () => {});
  }),
);

beforeAll(installNode, 600_000);

describe("OpenAI's client, with the retries it comes with", () => {
  it.each([
    ['for Node, at its newest version', 'openai'],
    ['for Node, at version 6', 'openai6'],
    ['for Python', null],
  ])(
    '%s, repeats what helps, and pays once',
    async (_client, name) => {
      const [customer, poor] = await Promise.all([stack.newCustomer(), stack.newCustomer('0.001')]);
      const remote = { baseUrl: `${proxy.url}/v1/openai`, apiKey: customer.apiKey };
      const more = { POOR_KEY: poor.apiKey, OPENAI_PACKAGE: name ?? '' };
      requests.length = 0;
      const lines = name
        ? await runNode('steering.mjs', remote, more)
        : await runPython('steering.py', remote, 'openai', more);
      if (lines === null) return;
      expect(lines).toEqual([
        { label: 'without balance', status: 402, joined: null },
        { label: 'keyed', status: 200, joined: null },
        { label: 'keyed otherwise', status: 422, joined: null },
        { label: 'failing', status: 500, joined: null },
        { label: 'overloaded', status: 503, joined: null },
        { label: 'long', status: 200, joined: 'true' },
      ]);
      const once = ['without balance', 'keyed', 'keyed otherwise', 'failing', 'overloaded'];
      expect(requests.filter((label) => label !== 'long')).toEqual(once);
      expect(requests.filter((label) => label === 'long').length).toBeGreaterThan(1);
      const { organizationId } = customer;
      const made = await stack.db.prisma.execution.findMany({ where: { organizationId } });
      expect(made.map(({ status }) => status).toSorted()).toEqual([
        'COMPLETED',
        'COMPLETED',
        'FAILED',
        'FAILED',
      ]);
      const sql = `SELECT count(*)::int AS settled FROM transfers WHERE organization_id = $1 AND kind = 'settle'`;
      expect((await stack.db.pool.query(sql, [organizationId])).rows).toEqual([{ settled: 2 }]);
    },
    300_000,
  );
});
