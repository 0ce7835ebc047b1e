import { expect, it } from '@jest/globals';
import { readConfig } from './config.ts';

it('refuses a role of an operator without a token, for a misspelt name would leave its operator an admin', () => {
  const env = { ADMIN_TOKEN: 'ann:a-token-of-hers-alone' };
  expect(() => readConfig({ ...env, ADMIN_ROLES: 'anne:viewer' })).toThrow(
    'ADMIN_ROLES: ADMIN_TOKEN has no operator named anne',
  );
  expect(() => readConfig({ ...env, ADMIN_ROLES: 'ann:viewer' })).not.toThrow(/ADMIN_ROLES/);
});
