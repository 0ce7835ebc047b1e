import { describe, expect, it } from '@jest/globals';
import { hasRole, parseAdminRoles } from './operators.ts';

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
});
