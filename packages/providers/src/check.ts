import type { Adapter, ProviderRoute } from '@holdfast/domain/modelRoute';
import type { TrustedHttp } from '@holdfast/egress/trusted';
import { z } from 'zod';
import { readHealth } from './cog/container.ts';
import { pathOf } from './cog/options.ts';
import { type Connection, connect } from './connection.ts';
import { rawText, responseText } from './outcome/raw.ts';

const modelList = z.object({ data: z.array(z.object({ id: z.string() })) });

export type Checked = {
  /** Null: it responded; else the reason it did not. */
  unreached: string | null;
  /** `unclear`: neither accepted nor refused, as by a proxy without other keys. `not checked`: there is no such request. */
  key: 'accepted' | 'refused' | 'unclear' | 'not checked';
  status: number | null;
  /** What the provider's own health check reports as wrong; null: nothing, or no health check. */
  problem: string | null;
  /** The response when the key was not accepted, for the operator, with the key masked. */
  said: string;
  /** Null when the provider lists no models. */
  models: string[] | null;
};

export type CheckedRoute = Pick<ProviderRoute, 'adapter'> & Partial<Pick<ProviderRoute, 'model' | 'options'>>;

/** A GET below the base URL that is harmless and needs a key; null when the protocol has none. */
const harmless: Record<Adapter, string | null> = {
  openai: 'models',
  replicate: 'account',
  fal: null,
  cog: null,
  http: null,
};

const responseTimeoutMs = 10_000;

export async function checkConnection(route: CheckedRoute | null, connection: Connection): Promise<Checked> {
  const http = connect(connection);
  try {
    const checked = await ask(http, route?.adapter ?? null, connection);
    if (route?.adapter !== 'cog' || checked.unreached !== null) return checked;
    return { ...checked, problem: await problemOfCog(http, route) };
  } finally {
    http.close();
  }
}

async function ask(http: TrustedHttp, adapter: Adapter | null, connection: Connection): Promise<Checked> {
  const question = adapter === null ? null : harmless[adapter];
  const path = adapter === 'openai' && !isVersioned(connection.baseUrl) ? `v1/${question}` : (question ?? '');
  const result = await http.request('GET', path, { timeoutMs: responseTimeoutMs });
  const nothing = { status: null, said: '', models: null, problem: null };
  if (!result.ok) return { ...nothing, unreached: result.message, key: 'not checked' };
  const { status } = result;
  const key = question === null ? 'not checked' : verdictOn(status);
  const models = key === 'accepted' ? (modelList.safeParse(result.json).data?.data ?? null) : null;
  return {
    unreached: null,
    key,
    status,
    said: key === 'accepted' ? '' : rawText(responseText(result), connection),
    models: models && models.map(({ id }) => id),
    problem: null,
  };
}

async function problemOfCog(
  http: TrustedHttp,
  { model, options = {} }: CheckedRoute,
): Promise<string | null> {
  if (model === undefined) return null;
  const path = pathOf({ model, options });
  const health = await readHealth(http, path);
  if (health === null) return `${path}/health-check does not respond as Cog does`;
  const { isDead, status, reason } = health;
  return isDead ? `it takes no runs: it says ${status}${reason === '' ? '' : `, ${reason}`}` : null;
}

function verdictOn(status: number): Checked['key'] {
  if (status < 300) return 'accepted';
  if (status === 401 || status === 403) return 'refused';
  return status === 404 || status === 405 ? 'not checked' : 'unclear';
}

const isVersioned = (baseUrl: string) => /\/v\d[^/]*(\/|$)/.test(new URL(baseUrl).pathname);
