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

async function reported(args: string[], isMore: boolean): Promise<string[]> {
  const lines: string[] = [];
  const page = { data: [organization], has_more: isMore, next_cursor: isMore ? organization.id : null };
  const context: Partial<Context> = {
    openAdmin: () => ({ request: async () => page }),
    print: () => {},
    report: (line) => void lines.push(line),
    width: 100,
  };
  await orgList(args, context as Context);
  return lines;
}

it('a list of organizations says that there are more than it shows', async () => {
  expect(await reported(['--limit', '1'], true)).toEqual(['There are more than these 1: raise --limit.']);
  expect(await reported(['--limit', '1', '--json'], true)).toEqual([]);
  expect(await reported(['--limit', '1'], false)).toEqual([]);
});
