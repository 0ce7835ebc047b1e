import { hasRole, type OperatorRole } from '@holdfast/domain/operators';

export type Claims = Readonly<Record<string, unknown>>;

/** The highest role that the claim gives; null: none. Dots in its name lead into objects, unless a claim has that name. */
export function roleIn(
  claims: Claims,
  claim: string,
  roles: ReadonlyMap<string, OperatorRole>,
): OperatorRole | null {
  // At some providers, anyone may enter another person's address.
  if (claim === 'email' && !isVerified(claims)) return null;
  const given = [valueOf(claims, claim)].flat().filter((one) => typeof one === 'string');
  return given
    .map((one) => roles.get(one) ?? null)
    .reduce((best, one) => (one && (!best || hasRole(one, best)) ? one : best), null);
}

function valueOf(claims: Claims, claim: string): unknown {
  if (Object.hasOwn(claims, claim)) return claims[claim];
  return claim.split('.').reduce<unknown>((value, name) => {
    const isInside = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
    return isInside ? (value as Claims)[name] : undefined;
  }, claims);
}

export const hasClaim = (claims: Claims, claim: string) => valueOf(claims, claim) !== undefined;

const isVerified = ({ email_verified: isIt }: Claims) => isIt === true || isIt === 'true';

const maxNameLength = 100;
const addressForm = /^[^@:\s\p{C}]+@[^@:\s\p{C}]+$/u;

/**
 * The name by which sessions, limits and the action log know a person. Only an address that the provider verified stands
 * alone, unchanged: people may choose their other names. No admin token has such a name: theirs contain neither `@` nor
 * `:`.
 */
export function nameIn(claims: Claims): string {
  const { email, email_verified: isEmailVerified, preferred_username: username, sub } = claims;
  const isAddress = typeof email === 'string' && email.length <= maxNameLength && addressForm.test(email);
  if (isAddress && isEmailVerified === true) return email;
  const given = [username, sub]
    .filter((one) => typeof one === 'string')
    .map((one) => one.replaceAll(/\p{C}/gu, '').trim().slice(0, maxNameLength))
    .find((one) => one !== '');
  if (given === undefined) throw new Error('the person has no name');
  return `oidc:${given}`;
}
