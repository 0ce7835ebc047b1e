import { type Role, type roleOf, roles } from '@holdfast/db/roles/rights';

const passwordOf = (role: Role) => `password-of-${role}`;

export const rolePasswords = Object.fromEntries(roles.map((role) => [role, passwordOf(role)])) as Record<
  Role,
  string
>;

/** The same database with the login of a service's role. */
export function asRole(databaseUrl: string, role: Role): string {
  const url = new URL(databaseUrl);
  url.username = role;
  url.password = passwordOf(role);
  return url.href;
}

export type ServiceName = keyof typeof roleOf;
