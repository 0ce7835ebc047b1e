import { limits } from '@holdfast/domain/limits';
import { portOf } from '@holdfast/egress/addresses';
import { createTrustedHttp, type TrustedHttp, type TrustedResult } from '@holdfast/egress/trusted';
import { outputOrigins } from './connectionConfig.ts';

/** A provider's server, from <NAME>_BASE_URL and <NAME>_API_KEY. */
export type Connection = {
  baseUrl: string;
  apiKey: string | null;
  /** The other variables `<NAME>_<SETTING>`, by SETTING. */
  settings: Readonly<Record<string, string>>;
};

export type HttpResponse = Extract<TrustedResult, { ok: true }>;

/** HTTP to the connection, with its key as a bearer token or under another `scheme`. */
export function connect(
  { baseUrl, apiKey }: Pick<Connection, 'baseUrl' | 'apiKey'>,
  scheme = 'Bearer',
): TrustedHttp {
  const headers = apiKey === null ? {} : { authorization: `${scheme} ${apiKey}` };
  return createTrustedHttp({ baseUrl, headers, maxResponseBytes: limits.providerBodyBytes });
}

/** `host:port` of hosts whose output files need no egress check: the provider's own, and <NAME>_OUTPUT_ORIGINS. */
export function trustedHosts({ baseUrl, settings }: Connection): string[] {
  const urls = [new URL(baseUrl), ...outputOrigins(settings).flatMap(({ url }) => url ?? [])];
  return urls.map((url) => `${url.hostname}:${portOf(url)}`);
}
