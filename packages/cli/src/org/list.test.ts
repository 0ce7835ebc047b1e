import { expect, it } from '@jest/globals';
import type { Context } from '../command.ts';
import { orgList } from './list.ts';

const organization = {
  id: `org_${'0'.repeat(36)}`,
  name: 'acme',
  created_at: '2026-01-01T00:00:00.000Z',
  max_concurrency: null,
  spend_limit: null,
  overage: null,
  spend_limit_overage: null,
  in_force: null,
};

async function list(args: string[], isMore: boolean) {
  const lines: string[] = [];
  const queries: unknown[] = [];
  const page = { data: [organization], has_more: isMore, next_cursor: isMore ? organization.id : null };
  const context: Partial<Context> = {
    openAdmin: () => ({
      request: async (_method, _path, { query } = {}) => {
        queries.push(query);
        return page;
      },
    }),
    print: () => {},
    report: (line) => void lines.push(line),
    width: 100,
  };
  await orgList(args, context as Context);
  return { lines, queries };
}

it('a list of organizations says that there are more than it shows', async () => {
  const reported = async (args: string[], isMore: boolean) => (await list(args, isMore)).lines;
  expect(await reported(['--limit', '1'], true)).toEqual(['There are more than these 1: raise --limit.']);
  expect(await reported(['--limit', '1', '--json'], true)).toEqual([]);
  expect(await reported(['--limit', '1'], false)).toEqual([]);
});

it('org list asks for what its flags say', async () => {
  const { queries } = await list(['--name', 'ac me', '--test', '--sort', 'spend', '--runs-low'], false);
  expect(queries).toMatchObject([{ text: 'ac me', test: 'true', sort: 'spend', runs_low: 'true' }]);
});
