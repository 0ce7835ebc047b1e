import { limits } from '@holdfast/domain/limits';
import { portOf } from '@holdfast/egress/addresses';
import { createTrustedHttp, type TrustedHttp, type TrustedResult } from '@holdfast/egress/trusted';
import { outputOrigins } from './connectionConfig.ts';

/** Whose server an adapter talks to: from <NAME>_BASE_URL and <NAME>_API_KEY. */
export type Connection = {
  baseUrl: string;
  apiKey: string | null;
  /** Every other variable `<NAME>_<SETTING>`, by SETTING: what an adapter needs beside the two. */
  settings: Readonly<Record<string, string>>;
};

/** What a server answered, whatever its status. */
export type Answer = Extract<TrustedResult, { ok: true }>;

/** HTTP to the connection, with its key as a bearer token, or under another `scheme`. */
export function connect(
  { baseUrl, apiKey }: Pick<Connection, 'baseUrl' | 'apiKey'>,
  scheme = 'Bearer',
): TrustedHttp {
  const headers = apiKey === null ? {} : { authorization: `${scheme} ${apiKey}` };
  return createTrustedHttp({ baseUrl, headers, maxResponseBytes: limits.providerBodyBytes });
}

/**
 * `host:port` of everywhere that a connection's output files may be fetched from without a check: its own, and those that the
 * operator names in <NAME>_OUTPUT_ORIGINS.
 */
export function trustedHosts({ baseUrl, settings }: Connection): string[] {
  const urls = [new URL(baseUrl), ...outputOrigins(settings).flatMap(({ url }) => url ?? [])];
  return urls.map((url) => `${url.hostname}:${portOf(url)}`);
}
