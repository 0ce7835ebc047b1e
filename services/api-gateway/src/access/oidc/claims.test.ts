import { parseAdminTokens } from '@holdfast/domain/adminTokens';
import { parseClaimRoles } from '@holdfast/domain/operators';
import { describe, expect, it } from '@jest/globals';
import { nameIn, roleIn } from './claims.ts';

const roles = parseClaimRoles('urn:ops:admin,help:support,ann@example.com:admin,*:viewer') ?? new Map();

describe('roleIn', () => {
  it.each([
    [{ roles: ['help', 'urn:ops'] }, 'roles', 'admin'],
    [{ roles: 'help' }, 'roles', 'support'],
    [{ roles: ['other', 7, null] }, 'roles', null],
    [{ roles: { admin: true } }, 'roles', null],
    [{}, 'roles', null],
    [{ realm_access: { roles: ['help'] } }, 'realm_access.roles', 'support'],
    [{ realm_access: 'roles' }, 'realm_access.roles', null],
    [{ 'https://example.com/roles': ['help'] }, 'https://example.com/roles', 'support'],
    [{}, 'constructor.name', null],
    [{ email: 'ann@example.com', email_verified: true }, 'email', 'admin'],
    [{ email: 'ann@example.com', email_verified: 'true' }, 'email', 'admin'],
    [{ email: 'ann@example.com', email_verified: false }, 'email', null],
    [{ email: 'ann@example.com' }, 'email', null],
  ])('of %j by %s is %s', (claims, claim, role) => {
    expect(roleIn(claims, claim, roles)).toBe(role);
  });
});

describe('nameIn', () => {
  it.each([
    [
      { sub: '1', email: 'ann@example.com', email_verified: true, preferred_username: 'ann' },
      'ann@example.com',
    ],
    [{ sub: '1', email: 'boss@example.com', preferred_username: 'ann' }, 'oidc:ann'],
    [{ sub: '1', email: 'boss@example.com', email_verified: 'true' }, 'oidc:1'],
    [{ sub: '1', email: 'ann', email_verified: true }, 'oidc:1'],
    [{ sub: '1', email: 'bo\u200bss@example.com', email_verified: true }, 'oidc:1'],
    [{ sub: '1', email: 'oidc:ann@example.com', email_verified: true }, 'oidc:1'],
    [{ sub: '1', preferred_username: 'ann@corp.example' }, 'oidc:ann@corp.example'],
    [{ sub: 'ann@corp.example' }, 'oidc:ann@corp.example'],
    [{ sub: '1', preferred_username: 'a\u202enn\n' }, 'oidc:ann'],
    [{ sub: '1', preferred_username: ' ' }, 'oidc:1'],
    [{ sub: 'x'.repeat(300) }, `oidc:${'x'.repeat(100)}`],
  ])('of %j is %s, which no admin token can have', (claims, name) => {
    expect(nameIn(claims)).toBe(name);
    const [token] = parseAdminTokens(`${name}:${'t'.repeat(20)}`) ?? [];
    expect(token?.name).not.toBe(name);
  });
});
