import { limits } from '@holdfast/domain/limits';
import {
  createTrustedHttp,
  type Method,
  type TrustedHttp,
  type TrustedRequest,
  type TrustedResult,
} from '@holdfast/egress/trusted';

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

/** HTTP to absolute URLs with the connection's key. The caller decides which hosts receive it. */
export type Origins = {
  request(method: Method, url: string, options: TrustedRequest): Promise<TrustedResult>;
  close(): void;
};

export function createOrigins({ apiKey }: Pick<Connection, 'apiKey'>, scheme?: string): Origins {
  const clients = new Map<string, TrustedHttp>();
  const clientOf = (origin: string) => {
    const client = clients.get(origin) ?? connect({ baseUrl: origin, apiKey }, scheme);
    clients.set(origin, client);
    return client;
  };
  return {
    request(method, url, options) {
      const { origin, pathname, search } = new URL(url);
      return clientOf(origin).request(method, `${pathname}${search}`, options);
    },
    close() {
      for (const client of clients.values()) client.close();
    },
  };
}

/** Whether a URL in a response may get our key: it is on the connection's own host, or on one of <NAME>_ALLOWED_HOSTS. */
export function mayHaveKey(text: string, { baseUrl, settings }: Connection): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const own = new URL(baseUrl);
  const others = (settings['ALLOWED_HOSTS'] ?? '').split(',').map((host) => host.trim().toLowerCase());
  return (
    (url.protocol === 'https:' || url.protocol === own.protocol) &&
    (url.host === own.host || (url.host !== '' && others.includes(url.host))) &&
    url.username === '' &&
    url.password === ''
  );
}
