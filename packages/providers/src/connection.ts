import { limits } from '@holdfast/domain/limits';
import { createTrustedHttp, type TrustedHttp, type TrustedResult } from '@holdfast/egress/trusted';

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
