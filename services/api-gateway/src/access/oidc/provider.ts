import { createHmac } from 'node:crypto';
import { type OperatorRole, parseClaimRoles } from '@holdfast/domain/operators';
import { egressSettings } from '@holdfast/egress/config';
import { createFetch, type FetchRequest } from '@holdfast/egress/fetch';
import { createEgressPolicy } from '@holdfast/egress/policy';
import type { Configuration } from 'openid-client';
import { type Claims, hasClaim, nameIn, roleIn } from './claims.ts';
import type { OidcConfig } from './config.ts';

export type OidcPerson = { name: string; subject: string; role: OperatorRole | null };

/** What the provider added to the address of the console. */
export type OidcResponse = { code: string; state: string; iss?: string | undefined };

export type OidcProvider = {
  issuer: string;
  label: string;
  rolesClaim: string;
  consoleUrl: string;
  /** Where the browser with this secret has to go. @throws ProviderUnreachable */
  authorizationUrl(secret: string): Promise<string>;
  stateOf(secret: string): string;
  /** @throws ProviderUnreachable, or what is wrong with the response or its tokens */
  person(secret: string, response: OidcResponse): Promise<OidcPerson>;
};

/** The provider did not respond, or not as one that works. */
export class ProviderUnreachable extends Error {}

const limits = { timeoutMs: 5000, maxResponseBytes: 1024 * 1024 };
/** The document changes seldom; keys are read again when a token names an unknown one. */
const discoveryMs = 3_600_000;

type ProviderConfig = OidcConfig & Parameters<typeof egressSettings>[0];

/** Null: OIDC is not configured. Connects on first use. */
export function openOidc(config: ProviderConfig): OidcProvider | null {
  const { CONSOLE_OIDC_ISSUER: issuer, CONSOLE_URL: consoleUrl } = config;
  if (issuer === undefined || consoleUrl === undefined) return null;
  const discover = discoverer(config, issuer);
  const rolesClaim = config.CONSOLE_OIDC_ROLES_CLAIM;
  const roles = parseClaimRoles(config.CONSOLE_OIDC_ROLES) ?? new Map<string, OperatorRole>();
  // Never from the Host header: the provider sends the code there.
  const redirectUri = `${consoleUrl}/console/oidc`;
  const stateOf = (secret: string) => derived(secret, 'state');
  return {
    issuer,
    label: config.CONSOLE_OIDC_LABEL,
    rolesClaim,
    consoleUrl,
    stateOf,
    async authorizationUrl(secret) {
      const [client, found] = await Promise.all([import('openid-client'), discover()]);
      const url = client.buildAuthorizationUrl(found, {
        redirect_uri: redirectUri,
        scope: config.CONSOLE_OIDC_SCOPES,
        state: stateOf(secret),
        nonce: derived(secret, 'nonce'),
        code_challenge: await client.calculatePKCECodeChallenge(derived(secret, 'verifier')),
        code_challenge_method: 'S256',
      });
      return url.href;
    },
    async person(secret, { code, state, iss }) {
      const [client, found] = await Promise.all([import('openid-client'), discover()]);
      const query = new URLSearchParams({ code, state, ...(iss !== undefined && { iss }) });
      const tokens = await client.authorizationCodeGrant(
        found,
        new URL(`${redirectUri}?${query.toString()}`),
        {
          pkceCodeVerifier: derived(secret, 'verifier'),
          expectedState: stateOf(secret),
          expectedNonce: derived(secret, 'nonce'),
          idTokenExpected: true,
        },
      );
      const claims: Claims & { sub: string } = { sub: '', ...tokens.claims() };
      const whole = await withUserInfo(found, claims, tokens.access_token, rolesClaim);
      return { name: nameIn(whole), subject: claims.sub, role: roleIn(whole, rolesClaim, roles) };
    },
  };
}

/** State, nonce and verifier need no storage: they follow from the secret in the cookie and reveal nothing of it. */
function derived(secret: string, purpose: 'state' | 'nonce' | 'verifier'): string {
  return createHmac('sha256', secret).update(purpose).digest('base64url');
}

/** Many providers put roles and names there, and not into the ID token. */
async function withUserInfo(
  found: Configuration,
  claims: Claims & { sub: string },
  accessToken: string,
  rolesClaim: string,
): Promise<Claims> {
  const isComplete =
    hasClaim(claims, rolesClaim) && ['email', 'preferred_username'].some((one) => one in claims);
  if (isComplete || found.serverMetadata().userinfo_endpoint === undefined) return claims;
  const { fetchUserInfo } = await import('openid-client');
  return { ...(await fetchUserInfo(found, accessToken, claims.sub)), ...claims };
}

/** Concurrent sign-ins share one discovery; a failed one is not kept. */
function discoverer(config: ProviderConfig, issuer: string): () => Promise<Configuration> {
  let latest: { found: Promise<Configuration>; untilMs: number } | null = null;
  return async () => {
    if (!latest || performance.now() > latest.untilMs) {
      latest = { found: configuration(config, issuer), untilMs: performance.now() + discoveryMs };
    }
    const current = latest;
    return await current.found.catch((error: unknown) => {
      if (latest === current) latest = null;
      throw error;
    });
  };
}

async function configuration(config: ProviderConfig, issuer: string): Promise<Configuration> {
  const client = await import('openid-client');
  const { CONSOLE_OIDC_CLIENT_ID: id = '', CONSOLE_OIDC_CLIENT_SECRET: secret = '' } = config;
  const allowsHttp = config.CONSOLE_OIDC_ALLOW_ORIGINS.some((origin) => origin.startsWith('http:'));
  const execute = allowsHttp ? [client.allowInsecureRequests] : [];
  const fetch = providerFetch(config);
  const discovered = await client.discovery(new URL(issuer), id, undefined, undefined, {
    execute,
    [client.customFetch]: fetch,
  });
  const metadata = discovered.serverMetadata();
  // The library accepts the issuers of all tenants of Entra, whose admins could give themselves roles.
  if (new URL(metadata.issuer).href !== new URL(issuer).href) {
    throw new Error('the issuer in the document of the provider is another one');
  }
  const offered = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const isBasic = offered.includes('client_secret_basic');
  const method = config.CONSOLE_OIDC_CLIENT_AUTH ?? (isBasic ? 'client_secret_basic' : 'client_secret_post');
  const authenticate =
    method === 'client_secret_basic' ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret);
  const found = new client.Configuration(metadata, id, undefined, authenticate);
  found[client.customFetch] = fetch;
  // Signatures are checked although the token comes from the provider itself.
  for (const extension of [client.enableNonRepudiationChecks, ...execute]) extension(found);
  return found;
}

/** Under a policy of its own: what webhooks may reach, the provider may not, and the other way round. */
function providerFetch(config: ProviderConfig) {
  const policy = createEgressPolicy({
    ...egressSettings(config),
    allowCidrs: [],
    allowHttp: false,
    allowOrigins: config.CONSOLE_OIDC_ALLOW_ORIGINS,
    ownHosts: [],
  });
  const send = createFetch(policy, limits);
  return async (url: string, request: FetchRequest): Promise<Response> => {
    const response = await send(url, request).catch((error: unknown) => {
      throw new ProviderUnreachable(`${new URL(url).origin} cannot be reached`, { cause: error });
    });
    if (response.status >= 500 || response.status === 429) {
      throw new ProviderUnreachable(`${new URL(url).origin} responded with ${response.status}`);
    }
    return response;
  };
}
