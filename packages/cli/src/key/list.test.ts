import { expect, it } from '@jest/globals';
import type { Context } from '../command.ts';
import { keyList } from './list.ts';

const key = {
  id: `key_${'0'.repeat(36)}`,
  name: 'worker',
  prefix: 'sk_0123456789',
  permissions: 'full',
  mode: 'live',
  scopes: [],
  expires_at: '2027-01-01T00:00:00.000Z',
  models: [],
  addresses: [],
  created_at: '2026-01-01T00:00:00.000Z',
  revoked_at: null,
  spend_limit: null,
};
const limited = { ...key, models: ['sandbox-text'], addresses: ['203.0.113.0/24', '2001:db8::/32'] };

async function listed(data: object[]): Promise<string[]> {
  const lines: string[] = [];
  const context: Partial<Context> = {
    openAdmin: () => ({ request: async () => ({ data, has_more: false, next_cursor: null }) }),
    print: (line) => void lines.push(line),
    width: 100,
  };
  await keyList(['org_1'], context as Context);
  return lines;
}

it('a list of keys shows the models and addresses to which a key is limited, in 100 columns', async () => {
  const lines = await listed([key, limited]);
  expect(lines.filter((line) => line.length > 100)).toEqual([]);
  expect(lines.filter((line) => line.includes('203.0.113.0'))).toEqual([
    '  models sandbox-text; addresses 203.0.113.0/24 2001:db8::/32',
  ]);
  expect(await listed([key])).toHaveLength(4);
});
