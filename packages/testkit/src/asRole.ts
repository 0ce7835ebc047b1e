import { type Role, roles } from '@holdfast/db/roles/rights';

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

/** Which role a service logs in with. */
export const roleOf = {
  'api-gateway': 'holdfast_gateway',
  dispatcher: 'holdfast_dispatcher',
  ledger: 'holdfast_ledger',
  'webhook-sender': 'holdfast_webhook_sender',
} as const satisfies Record<string, Role>;

export type ServiceName = keyof typeof roleOf;
