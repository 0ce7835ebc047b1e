import type { Method, TrustedHttp, TrustedRequest, TrustedResult } from '@holdfast/egress/trusted';
import { type Connection, connect } from '../connection.ts';

/** HTTP to whole URLs of a connection, with its key. Which hosts are trusted with it is `readHandle`'s to say. */
export type Origins = {
  request(method: Method, url: string, options: TrustedRequest): Promise<TrustedResult>;
  close(): void;
};

export function createOrigins({ apiKey }: Connection): Origins {
  const clients = new Map<string, TrustedHttp>();
  const clientOf = (origin: string) => {
    const client = clients.get(origin) ?? connect({ baseUrl: origin, apiKey }, 'Key');
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
