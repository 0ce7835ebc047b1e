import { createServer, type Server } from 'node:http';
import { isUnreachable } from '@holdfast/api-gateway/access/oidc/faults';
import type { OidcProvider } from '@holdfast/api-gateway/access/oidc/provider';
import { createAdminApp } from '@holdfast/api-gateway/adminApp';
import {
  openTestGateway,
  startTestGateway,
  type TestGateway,
} from '@holdfast/api-gateway/testing/testGateway';
import { listenAt } from '@holdfast/kit/http';
import { createLogger } from '@holdfast/kit/logger';
import { servicePort } from '@holdfast/local/launch/ports';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { startOidcProvider, type TestProvider } from '../stack/oidcProvider.ts';

const token = 'ann-has-a-token-of-hers';
const accounts = {
  ann: { email: 'ann@example.com', email_verified: true, roles: ['staff', 'admin', 'viewer'] },
  val: { preferred_username: 'val', roles: 'viewer' },
  eve: { email: 'ann@example.com', email_verified: false, preferred_username: 'eve', roles: ['staff'] },
};

let provider: TestProvider;
let gateway: TestGateway;
let server: Server;
let consoleUrl: string;
let settings: Record<string, string>;

beforeAll(async () => {
  const port = await servicePort();
  consoleUrl = `http://127.0.0.1:${port}`;
  const client = {
    id: 'holdfast',
    secret: 'a secret: of the client',
    redirectUri: `${consoleUrl}/console/oidc`,
  };
  provider = await startOidcProvider(client, accounts);
  settings = {
    ADMIN_TOKEN: `ann:${token}`,
    CONSOLE_URL: consoleUrl,
    CONSOLE_OIDC_ISSUER: provider.issuer,
    CONSOLE_OIDC_CLIENT_ID: client.id,
    CONSOLE_OIDC_CLIENT_SECRET: client.secret,
    CONSOLE_OIDC_ALLOW_ORIGINS: provider.issuer,
    CONSOLE_OIDC_LABEL: 'Test login',
  };
  gateway = await startTestGateway(settings);
  server = createServer(createAdminApp(gateway.context));
  await listenAt(server, { host: '127.0.0.1', port });
});

beforeEach(async () => {
  await gateway.context.db.pool.query('TRUNCATE sign_in_failures');
});
afterEach(() => provider.forge(null));

afterAll(async () => {
  server?.close();
  server?.closeAllConnections();
  await gateway?.close();
  await provider?.stop();
});

type Reply = { status: number; body: Record<string, unknown>; cookie: string };

async function ask(
  method: string,
  path: string,
  given: { cookie?: string; body?: object; headers?: object } = {},
) {
  const response = await fetch(`${consoleUrl}/admin/v1${path}`, {
    method,
    headers: {
      Origin: consoleUrl,
      'X-Holdfast-Console': '1',
      ...(given.cookie && { Cookie: given.cookie }),
      ...(given.body && { 'Content-Type': 'application/json' }),
      ...given.headers,
    },
    ...(given.body && { body: JSON.stringify(given.body) }),
  });
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return { status: response.status, body: await response.json(), cookie } as Reply;
}

type Started = { url: string; cookie: string };

async function start(): Promise<Started> {
  const { status, body, cookie } = await ask('POST', '/oidc-sign-ins');
  expect(status).toBe(201);
  return { url: String(body['authorization_url']), cookie };
}

/** Signs in on the provider's pages, as a browser does; returns what it adds to the address of the console. */
async function atProvider(url: string, account: keyof typeof accounts): Promise<Record<string, string>> {
  const cookies = new Map<string, string>();
  const visit = async (at: string, init: RequestInit = {}) => {
    const Cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(at, { ...init, headers: { Cookie }, redirect: 'manual' });
    for (const one of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (one.split(';')[0] ?? '').split('=', 2);
      cookies.set(name, value);
    }
    return response;
  };
  let at = url;
  for (let hops = 0; hops < 8 && !at.startsWith(consoleUrl); hops++) {
    const response = at.includes('/interaction/')
      ? await visit(at, { method: 'POST', body: new URLSearchParams({ account }) })
      : await visit(at);
    at = new URL(response.headers.get('location') ?? '', at).href;
  }
  return Object.fromEntries(new URL(at).searchParams);
}

const finish = (cookie: string, body: object) => ask('POST', '/oidc-sign-ins/session', { cookie, body });

async function signIn(account: keyof typeof accounts): Promise<Reply> {
  const { url, cookie } = await start();
  return await finish(cookie, await atProvider(url, account));
}

const message = ({ body }: Reply) => (body['error'] as { message: string }).message;

describe('signing in at the OIDC provider', () => {
  it('starts a session with the highest role of the claim, under the verified address of the person', async () => {
    const signedIn = await signIn('ann');
    expect(signedIn).toMatchObject({
      status: 201,
      body: { actor: 'ann@example.com', role: 'admin', method: 'oidc' },
    });
    const { cookie } = signedIn;
    expect(cookie).toMatch(/^holdfast_session=ses_/);
    expect((await ask('POST', '/organizations', { cookie, body: { name: 'Acme' } })).status).toBe(201);
    const { body } = await ask('GET', '/actions?limit=2', { cookie });
    expect(body['data']).toMatchObject([
      { actor: 'ann@example.com', action: 'POST /admin/v1/organizations', status: 201 },
      {
        actor: 'ann@example.com',
        action: 'POST /admin/v1/oidc-sign-ins/session',
        details: { issuer: provider.issuer, subject: 'ann' },
      },
    ]);
    expect((await ask('GET', '/sessions', { cookie })).body['data']).toMatchObject([{ method: 'oidc' }]);
    expect((await ask('DELETE', '/session', { cookie })).status).toBe(200);
    expect((await ask('GET', '/session', { cookie })).status).toBe(401);
  });

  it('lets a viewer look and not act, under a name that no admin token can have', async () => {
    const { body, cookie } = await signIn('val');
    expect(body).toMatchObject({ actor: 'oidc:val', role: 'viewer' });
    expect((await ask('GET', '/organizations', { cookie })).status).toBe(200);
    expect((await ask('POST', '/organizations', { cookie, body: { name: 'No' } })).status).toBe(403);
  });

  it('refuses a person without a role, says what to do, and records it under a name that is not claimed', async () => {
    const refused = await signIn('eve');
    expect(refused).toMatchObject({ status: 403, cookie: '' });
    expect(message(refused)).toMatch(/knows you as oidc:eve, but gives you no role.*"roles"/);
    const { body } = await ask('GET', '/actions?limit=1', { headers: { Authorization: `Bearer ${token}` } });
    expect(body['data']).toMatchObject([{ actor: 'oidc:eve', status: 403, details: { subject: 'eve' } }]);
  });

  it('sends the browser to the configured provider and back to the configured console, whatever the Host', async () => {
    const { url, cookie } = await start();
    const asked = new URL(url);
    expect(asked.origin).toBe(provider.issuer);
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      response_type: 'code',
      redirect_uri: `${consoleUrl}/console/oidc`,
      code_challenge_method: 'S256',
      scope: 'openid profile email',
    });
    expect(url).not.toContain(cookie.split('=')[1]);
    const foreign = await ask('POST', '/oidc-sign-ins', {
      headers: { Host: 'evil.test', Origin: 'http://evil.test' },
    });
    expect(foreign.status).toBe(403);
  });
});

describe('the response of the provider', () => {
  it('is refused with another state, in another browser, and the second time', async () => {
    const { url, cookie } = await start();
    const response = await atProvider(url, 'ann');
    const other = await start();
    expect((await finish(cookie, { ...response, state: 'x'.repeat(43) })).status).toBe(401);
    expect((await finish(other.cookie, response)).status).toBe(401);
    expect((await finish('', response)).status).toBe(401);
    const both = await Promise.all([finish(cookie, response), finish(cookie, response)]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 401]);
    expect((await finish(cookie, response)).status).toBe(401);
  });

  it('is refused with the code of another sign-in: its verifier is another one', async () => {
    const [mine, theirs] = [await start(), await start()];
    const { code = '' } = await atProvider(theirs.url, 'ann');
    const { state = '' } = await atProvider(mine.url, 'val');
    expect((await finish(mine.cookie, { code, state })).status).toBe(401);
  });

  it('is refused when it names another issuer, and after ten minutes', async () => {
    const first = await start();
    const mixed = { ...(await atProvider(first.url, 'ann')), iss: 'https://other.example' };
    expect((await finish(first.cookie, mixed)).status).toBe(401);
    const { url, cookie } = await start();
    const response = await atProvider(url, 'ann');
    await gateway.context.db.pool.query('UPDATE oidc_sign_ins SET expires_at = now()');
    expect((await finish(cookie, response)).status).toBe(401);
  });

  const past = Math.floor(Date.now() / 1000) - 3600;
  it.each([
    ['another nonce', { claims: { nonce: 'another' } }, '\\"nonce\\"'],
    ['another audience', { claims: { aud: 'another' } }, '\\"aud\\"'],
    ['another issuer', { claims: { iss: 'https://other.example' } }, '\\"iss\\"'],
    ['a time that has passed', { claims: { exp: past } }, '\\"exp\\"'],
    ['a signature by another key', { withOtherKey: true }, 'signature'],
  ])(
    'is refused when the token has %s, and the log has neither code nor token',
    async (_what, forgery, reason) => {
      const warn = jest.spyOn(gateway.context.log, 'warn');
      const { url, cookie } = await start();
      const response = await atProvider(url, 'ann');
      provider.forge(forgery);
      const refused = await finish(cookie, response);
      const lines = JSON.stringify(warn.mock.calls);
      warn.mockRestore();
      expect(refused).toMatchObject({ status: 401, cookie: '' });
      expect(lines).toContain('a sign-in at the OIDC provider failed');
      expect(lines).toContain(reason);
      for (const secret of [response['code'], 'eyJ', 'ann@example.com']) expect(lines).not.toContain(secret);
    },
  );

  it('locks an address out after many that failed, and its tokens not', async () => {
    await gateway.context.db.pool.query(`INSERT INTO sign_in_failures VALUES ('oidc 127.0.0.1', 20, now())`);
    expect((await signIn('ann')).status).toBe(429);
    expect((await ask('POST', '/session', { body: { token } })).status).toBe(201);
  });
});

describe('a session by OIDC', () => {
  it('ends when the settings change that gave it its role, on every gateway', async () => {
    const { cookie } = await signIn('ann');
    const secret = cookie.split('=')[1] ?? '';
    const isOpen = async (changes: Record<string, string>) => {
      const other = await openTestGateway(gateway.servers, { ...settings, ...changes });
      const app = createServer(createAdminApp(other.context));
      const port = await listenAt(app, { host: '127.0.0.1', port: 0 });
      const { status } = await fetch(`http://127.0.0.1:${port}/admin/v1/session`, {
        headers: { Cookie: `holdfast_session=${secret}` },
      });
      app.close();
      app.closeAllConnections();
      await other.close();
      return status === 200;
    };
    expect(await isOpen({})).toBe(true);
    expect(await isOpen({ CONSOLE_OIDC_ROLES: 'staff:viewer' })).toBe(false);
    expect(await isOpen({ CONSOLE_OIDC_ISSUER: '' })).toBe(false);
  });
});

describe('without its provider', () => {
  it('a gateway starts and signs in by token, and by OIDC once the provider responds', async () => {
    await provider.stop();
    const other = await openTestGateway(gateway.servers, settings);
    other.context.log = createLogger('test', 'silent');
    server.removeAllListeners('request').on('request', createAdminApp(other.context));
    const down = await ask('POST', '/oidc-sign-ins');
    expect(down).toMatchObject({ status: 503, cookie: '' });
    expect(message(down)).toMatch(/Test login cannot be used at the moment/);
    expect((await ask('POST', '/session', { body: { token } })).status).toBe(201);
    expect((await ask('GET', '/sign-in-methods')).body).toMatchObject({ oidc: { label: 'Test login' } });
    await provider.restart();
    expect((await signIn('ann')).status).toBe(201);
    const { url, cookie } = await start();
    const response = await atProvider(url, 'ann');
    await provider.stop();
    expect((await finish(cookie, response)).status).toBe(503);
    await provider.restart();
    await other.close();
  });
});

describe('a private origin that is not allowed', () => {
  /** Whether the attempt failed for want of a connection, with these origins allowed. */
  async function isUndialled(
    issuer: string,
    allowed: string[],
    use: (oidc: OidcProvider) => Promise<unknown>,
  ): Promise<boolean> {
    const changes = { CONSOLE_OIDC_ISSUER: issuer, CONSOLE_OIDC_ALLOW_ORIGINS: allowed.join(',') };
    const { context, close } = await openTestGateway(gateway.servers, { ...settings, ...changes });
    const error = context.oidc && (await use(context.oidc).catch((thrown: unknown) => thrown));
    await close();
    return isUnreachable(error);
  }

  // Another origin on loopback is allowed throughout, so plain http as such is.
  it('is not dialled for the document of the issuer', async () => {
    const { port, connections, close } = await startListener();
    const origin = `http://127.0.0.1:${port}`;
    const discover = (oidc: OidcProvider) => oidc.authorizationUrl('oidc_x');
    for (const issuer of [origin, `https://127.0.0.1:${port}`, `https://localhost:${port}`]) {
      expect(await isUndialled(issuer, [provider.issuer], discover)).toBe(true);
    }
    expect(connections()).toBe(0);
    await isUndialled(origin, [provider.issuer, origin], discover);
    expect(connections()).toBe(1);
    close();
  });

  it('is not sent the code and the client secret, although the document names it', async () => {
    const { port, connections, close } = await startListener();
    const tokenOrigin = `http://127.0.0.1:${port}`;
    const documents = createServer((_request, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(
        JSON.stringify({ issuer, token_endpoint: `${tokenOrigin}/token`, jwks_uri: `${issuer}/jwks` }),
      );
    });
    const issuer = `http://127.0.0.1:${await listenAt(documents, { host: '127.0.0.1', port: 0 })}`;
    const exchange = (oidc: OidcProvider) =>
      oidc.person('oidc_x', { code: 'a code', state: oidc.stateOf('oidc_x') });
    expect(await isUndialled(issuer, [issuer], exchange)).toBe(true);
    expect(connections()).toBe(0);
    await isUndialled(issuer, [issuer, tokenOrigin], exchange);
    expect(connections()).toBe(1);
    documents.close();
    close();
  });
});

/** Counts its connections and ends each of them. */
async function startListener() {
  let connections = 0;
  const listener = createServer().on('connection', (socket) => {
    connections++;
    socket.destroy();
  });
  const port = await listenAt(listener, { host: '127.0.0.1', port: 0 });
  return { port, connections: () => connections, close: () => listener.close() };
}
