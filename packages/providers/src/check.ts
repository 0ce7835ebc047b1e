import type { Adapter } from '@holdfast/domain/modelRoute';
import type { TrustedHttp } from '@holdfast/egress/trusted';
import { type Connection, connect } from './connection.ts';

/** What a question that costs nothing and changes nothing tells of a connection. */
export type Checked = {
  /** Null: it answered; else why it did not. */
  unreached: string | null;
  /** Null: its protocol has no such question. */
  isKeyAccepted: boolean | null;
  status: number | null;
};

/** Where a GET is harmless and wants a key, by adapter: below the base URL. Null: there is none. */
const harmless: Record<Adapter, string | null> = {
  openai: 'models',
  replicate: 'account',
  fal: null,
  cog: null,
  http: null,
};

const answerWithinMs = 10_000;

/** Asks a connection as one of its adapters (null: none of the models uses it) whether it is there and takes its key. */
export async function checkConnection(adapter: Adapter | null, connection: Connection): Promise<Checked> {
  const http = connect(connection);
  try {
    return await ask(http, adapter, connection);
  } finally {
    http.close();
  }
}

async function ask(http: TrustedHttp, adapter: Adapter | null, connection: Connection): Promise<Checked> {
  const question = adapter === null ? null : harmless[adapter];
  const path = adapter === 'openai' && !isVersioned(connection.baseUrl) ? `v1/${question}` : (question ?? '');
  const result = await http.request('GET', path, { timeoutMs: answerWithinMs });
  if (!result.ok) return { unreached: result.message, isKeyAccepted: null, status: null };
  const { status } = result;
  const isRefused = status === 401 || status === 403;
  const isTold = question !== null && (isRefused || status < 300);
  return { unreached: null, isKeyAccepted: isTold ? !isRefused : null, status };
}

/** As the adapter of OpenAI's protocol takes base URLs. */
const isVersioned = (baseUrl: string) => /\/v\d[^/]*(\/|$)/.test(new URL(baseUrl).pathname);
