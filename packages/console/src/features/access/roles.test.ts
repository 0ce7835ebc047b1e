import { expect, it } from '@jest/globals';
import { missingRole } from './roles.ts';

it.each([
  ['viewer', 'support', false],
  ['support', 'support', true],
  ['support', 'admin', false],
  ['admin', 'viewer', true],
  [undefined, 'viewer', false],
] as const)('an operator with the role %s may do what needs %s: %s', (role, needed, isAllowed) => {
  expect(missingRole(role, needed)).toBe(isAllowed ? null : `Needs the role ${needed}`);
});
