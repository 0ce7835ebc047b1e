import { parseClaimRoles } from '@holdfast/domain/operators';
import { parseOrigin } from '@holdfast/egress/addresses';
import { createEgressPolicy } from '@holdfast/egress/policy';
import { listOf } from '@holdfast/kit/config';
import { z } from 'zod';

/** Plain http is for a browser and a provider on the same machine only. */
const isSafe = ({ protocol, hostname }: URL) =>
  protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname));

const isOrigin = (text: string) => {
  try {
    return parseOrigin(text) === text;
  } catch {
    return false;
  }
};

function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  if (!url || !isSafe(url) || url.username !== '' || url.password !== '') return false;
  return !text.includes('?') && !text.includes('#') && !url.pathname.includes('/.well-known/');
}

const name = 'CONSOLE_OIDC_';

export const oidcConfig = {
  CONSOLE_URL: z
    .string()
    .refine(
      (text) => isOrigin(text) && isSafe(new URL(text)),
      'must be an origin without a path, such as https://holdfast.internal.example; http only on loopback',
    )
    .optional()
    .describe('Where operators open the console, such as https://holdfast.internal.example; OIDC needs it'),
  CONSOLE_OIDC_ISSUER: z
    .string()
    .refine(
      isIssuer,
      'must be the https URL of an issuer, without query and /.well-known; http only on loopback',
    )
    .optional()
    .describe('Issuer of the OIDC provider at which operators sign in to the console; default: tokens only'),
  CONSOLE_OIDC_CLIENT_ID: z.string().optional().describe('Client id of the console at the OIDC provider'),
  CONSOLE_OIDC_CLIENT_SECRET: z
    .string()
    .optional()
    .describe('Client secret of the console at the OIDC provider'),
  CONSOLE_OIDC_CLIENT_AUTH: z
    .enum(['client_secret_basic', 'client_secret_post'])
    .optional()
    .describe('How the client secret is sent; default: `client_secret_basic` where the provider has it'),
  CONSOLE_OIDC_SCOPES: z
    .string()
    .refine((text) => text.split(' ').includes('openid'), 'must contain openid')
    .default('openid profile email')
    .describe('Scopes to request, separated by spaces'),
  CONSOLE_OIDC_ROLES_CLAIM: z
    .string()
    .default('roles')
    .describe(
      'Claim with the roles of a person, a text or a list; dots lead into objects: `realm_access.roles`',
    ),
  CONSOLE_OIDC_ROLES: z
    .string()
    .default('viewer:viewer,support:support,admin:admin')
    .refine(
      (text) => parseClaimRoles(text) !== null,
      'must be a list value:role,value:role of viewer, support and admin',
    )
    .describe(
      'Roles by the values of that claim: a list `value:viewer,value:support,value:admin`; the highest counts',
    ),
  CONSOLE_OIDC_LABEL: z
    .string()
    .max(40)
    .default('OIDC')
    .describe('Name of the provider on the button “Sign in with …”'),
  CONSOLE_OIDC_ALLOW_ORIGINS: z
    .string()
    .default('')
    .transform(listOf)
    .refine(
      (origins) => origins.every(isOrigin),
      'must be origins, comma-separated, such as https://login.internal.example',
    )
    .describe(
      'Origins of the provider that the gateway may connect to directly although they are private, comma-separated; default: public addresses only',
    ),
};

export type OidcConfig = z.infer<z.ZodObject<typeof oidcConfig>>;

const needed = ['CONSOLE_OIDC_CLIENT_ID', 'CONSOLE_OIDC_CLIENT_SECRET', 'CONSOLE_URL'];

export function oidcProblems(env: NodeJS.ProcessEnv): string[] {
  const issuer = env['CONSOLE_OIDC_ISSUER'];
  if (issuer === undefined) {
    return Object.keys(env)
      .filter((one) => one.startsWith(name) && one in oidcConfig)
      .map((one) => `${one}: has no effect without CONSOLE_OIDC_ISSUER`);
  }
  const missing = needed.filter((one) => env[one] === undefined);
  return [
    ...missing.map((one) => `${one} is not set: CONSOLE_OIDC_ISSUER needs it`),
    ...(isIssuer(issuer) ? addressProblems(issuer, env['CONSOLE_OIDC_ALLOW_ORIGINS'] ?? '') : []),
  ];
}

/** What can be known without looking the name up. */
function addressProblems(issuer: string, allowed: string): string[] {
  const origins = listOf(allowed);
  if (!origins.every(isOrigin)) return [];
  const policy = createEgressPolicy({ allowCidrs: [], allowHttp: false, allowOrigins: origins });
  const problem = policy.checkUrl(issuer);
  if (problem === null) return [];
  return [
    `CONSOLE_OIDC_ISSUER: ${problem.message}, unless CONSOLE_OIDC_ALLOW_ORIGINS has ${new URL(issuer).origin}`,
  ];
}

/** What a session by OIDC depends on: it ends when one of these changes. Null: OIDC is not configured. */
export function oidcTerms(config: OidcConfig): string | null {
  if (config.CONSOLE_OIDC_ISSUER === undefined) return null;
  return JSON.stringify([
    config.CONSOLE_OIDC_ISSUER,
    config.CONSOLE_OIDC_CLIENT_ID,
    config.CONSOLE_OIDC_ROLES_CLAIM,
    config.CONSOLE_OIDC_ROLES,
  ]);
}
