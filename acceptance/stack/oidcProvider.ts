import { createPrivateKey, createSign, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { servicePort } from '@holdfast/local/launch/ports';
import { Provider } from 'oidc-provider';

/** The people that the provider knows, by subject. */
export type Accounts = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export type OidcClient = { id: string; secret: string; redirectUri: string };

/** Changes the claims of the ID tokens that it issues from now on; they are signed as before, or with another key. */
export type Forgery = { claims?: Record<string, unknown>; withOtherKey?: boolean };

const newKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });

export type TestProvider = Awaited<ReturnType<typeof startOidcProvider>>;

/** A real OIDC server on loopback. Its login page has a button for each account. */
export async function startOidcProvider(client: OidcClient, accounts: Accounts) {
  const port = await servicePort();
  const issuer = `http://127.0.0.1:${port}`;
  const keys = { own: newKey(), other: newKey() };
  const provider = createProvider(issuer, client, accounts, keys.own);
  let forgery: Forgery | null = null;
  provider.use(async (context, next) => {
    await next();
    const { body } = context as { body?: { id_token?: string } };
    if (forgery === null || context.path !== '/token' || body?.id_token === undefined) return;
    body.id_token = forged(body.id_token, forgery.withOtherKey ? keys.other : keys.own, forgery.claims);
  });
  const serve = provider.callback();
  const open = async (): Promise<Server> => {
    const server = createServer((request, response) => {
      const isLogin = request.url?.startsWith('/interaction/') ?? false;
      void (isLogin ? respondLogin(provider, accounts, request, response) : serve(request, response));
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  let server: Server | null = await open();
  const stop = async () => {
    const closing = server && once(server, 'close');
    server?.close();
    server?.closeAllConnections();
    server = null;
    await closing;
  };
  return {
    issuer,
    forge: (next: Forgery | null) => {
      forgery = next;
    },
    stop,
    restart: async () => {
      server ??= await open();
    },
  };
}

function createProvider(
  issuer: string,
  { id, secret, redirectUri }: OidcClient,
  accounts: Accounts,
  key: JsonWebKey,
): Provider {
  return new Provider(issuer, {
    clients: [{ client_id: id, client_secret: secret, redirect_uris: [redirectUri] }],
    jwks: { keys: [{ ...key, kid: 'test', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['a key of the test'] },
    features: { devInteractions: { enabled: false } },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    pkce: { required: () => true },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['preferred_username', 'roles', 'realm_access'],
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ ...accounts[sub], sub }) }),
    // The operator's own provider asks for no consent.
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        ...(oidc.session?.accountId && { accountId: oidc.session.accountId }),
        clientId: id,
      });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
  });
}

type Exchange = Parameters<ReturnType<Provider['callback']>>;

async function respondLogin(
  provider: Provider,
  accounts: Accounts,
  ...[request, response]: Exchange
): Promise<void> {
  if (request.method === 'POST') {
    const accountId = new URLSearchParams(await text(request)).get('account') ?? '';
    await provider.interactionFinished(request, response, { login: { accountId } });
    return;
  }
  const buttons = Object.keys(accounts).map((sub) => `<button name="account" value="${sub}">${sub}</button>`);
  response.setHeader('Content-Type', 'text/html');
  response.end(`<!doctype html><title>Login</title><form method="post">${buttons.join('')}</form>`);
}

function forged(token: string, key: JsonWebKey, claims: Record<string, unknown> = {}): string {
  const [head = '', payload = ''] = token.split('.');
  const given = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
  const body = Buffer.from(JSON.stringify({ ...given, ...claims })).toString('base64url');
  const privateKey = createPrivateKey({ key, format: 'jwk' });
  const signature = createSign('RSA-SHA256').update(`${head}.${body}`).sign(privateKey, 'base64url');
  return `${head}.${body}.${signature}`;
}
