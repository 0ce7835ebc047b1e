import { parseAdminTokens } from './adminTokens.ts';

/** What operators may do, each role including those before it: look, help clients, change money, keys and limits. */
export const operatorRoles = ['viewer', 'support', 'admin'] as const;
export type OperatorRole = (typeof operatorRoles)[number];

export function hasRole(role: OperatorRole, needed: OperatorRole): boolean {
  return operatorRoles.indexOf(role) >= operatorRoles.indexOf(needed);
}

const entry = /^([A-Za-z0-9_.-]{1,40}):(viewer|support|admin)$/;

/** The roles of `ADMIN_ROLES` by the name of the token. Null: an entry is not `name:role`, or a name has two roles. */
export function parseAdminRoles(text: string): ReadonlyMap<string, OperatorRole> | null {
  const entries = text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const roles = new Map<string, OperatorRole>();
  for (const one of entries) {
    const [, name, role] = entry.exec(one) ?? [];
    if (!name || roles.has(name)) return null;
    roles.set(name, role as OperatorRole);
  }
  return roles;
}

/** The roles of the values of a claim, as `value:role,value:role`; values may contain colons. Null: as above. */
export function parseClaimRoles(text: string): ReadonlyMap<string, OperatorRole> | null {
  const roles = new Map<string, OperatorRole>();
  for (const one of text.split(',')) {
    const [, value, role] = /^(.+):(viewer|support|admin)$/.exec(one.trim()) ?? [];
    if (!value || roles.has(value)) return null;
    roles.set(value, role as OperatorRole);
  }
  return roles;
}

/** The names of `ADMIN_ROLES` that no token has: with a misspelt one, its operator would be an `admin`. */
export function operatorsWithoutToken(roles: string, tokens: string): string[] {
  const known = parseAdminTokens(tokens)?.map(({ name }) => name);
  return [...(parseAdminRoles(roles)?.keys() ?? [])].filter((name) => known?.includes(name) === false);
}

/** How an operator started a session: with an admin token, with a link, or at the OIDC provider. */
export const signInMethods = ['token', 'link', 'oidc'] as const;
export type SignInMethod = (typeof signInMethods)[number];

/** Milliseconds, and how many failed sign-ins an address has before it is locked out for the rest of the window. */
export const signIn = {
  sessionMs: 12 * 3_600_000,
  linkMs: 600_000,
  maxFailures: 5,
  /** Nothing can be guessed there, but each costs requests to the provider, and an office may share its address. */
  maxOidcFailures: 20,
  oidcMs: 600_000,
  failureWindowMs: 15 * 60_000,
} as const;
