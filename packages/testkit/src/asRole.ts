import { type Role, type roleOf, roles } from '@holdfast/db/roles/rights';

const passwordOf = (role: Role) => `password-of-${role}`;

/** The passwords that the roles have on the test server. */
export const rolePasswords = Object.fromEntries(roles.map((role) => [role, passwordOf(role)])) as Record<
  Role,
  string
>;

/** The same database, logged in to as a service's role. */
export function asRole(databaseUrl: string, role: Role): string {
  const url = new URL(databaseUrl);
  url.username = role;
  url.password = passwordOf(role);
  return url.href;
}

export type ServiceName = keyof typeof roleOf;
