import { describe, expect, it } from '@jest/globals';
import { hasRole, operatorsWithoutToken, parseAdminRoles } from './operators.ts';

describe('the roles of operators', () => {
  it('include the roles before them', () => {
    expect(hasRole('admin', 'support')).toBe(true);
    expect(hasRole('support', 'support')).toBe(true);
    expect(hasRole('viewer', 'support')).toBe(false);
    expect(hasRole('support', 'admin')).toBe(false);
  });

  it('are read from a list of names', () => {
    expect(parseAdminRoles('')).toEqual(new Map());
    expect(parseAdminRoles('ann:viewer, bob:support')).toEqual(
      new Map([
        ['ann', 'viewer'],
        ['bob', 'support'],
      ]),
    );
  });

  it('refuse unknown roles and names with two roles', () => {
    for (const text of ['ann', 'ann:owner', 'ann:viewer,ann:admin', ':viewer']) {
      expect(parseAdminRoles(text)).toBeNull();
    }
  });

  it('are of operators who have a token', () => {
    const tokens = 'ann:a-token-of-hers-alone,bob:another-token-of-his';
    expect(operatorsWithoutToken('ann:viewer,bob:support', tokens)).toEqual([]);
    expect(operatorsWithoutToken('anne:viewer,bob:support', tokens)).toEqual(['anne']);
    expect(operatorsWithoutToken('admin:viewer', 'a-token-without-a-name')).toEqual([]);
  });
});
