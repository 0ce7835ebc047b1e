import type { Adapter, ProviderRoute } from '@holdfast/domain/modelRoute';
import { createCog } from './cog/cog.ts';
import type { Connection } from './connection.ts';
import { createFal } from './fal/fal.ts';
import { createHttp } from './http/http.ts';
import type { Provider } from './interface.ts';
import { createOpenai } from './openai/openai.ts';
import { createReplicate } from './replicate/replicate.ts';

const adapters: Record<Adapter, (connection: Connection) => Provider> = {
  openai: createOpenai,
  cog: createCog,
  replicate: createReplicate,
  fal: createFal,
  http: createHttp,
};

/** The adapter for a connection; null when the connection is not configured. */
export type Providers = {
  find(provider: Pick<ProviderRoute, 'adapter' | 'connection'>): Provider | null;
  close(): void;
};

/** `wrap` is applied to each adapter once. */
export function createProviders(
  connections: Record<string, Connection>,
  wrap: (provider: Provider, connection: string) => Provider = (provider) => provider,
): Providers {
  const made = new Map<string, Provider>();
  return {
    find({ adapter, connection }) {
      const known = Object.hasOwn(connections, connection) ? connections[connection] : undefined;
      if (known === undefined) return null;
      const key = `${adapter} ${connection}`;
      const provider = made.get(key) ?? wrap(adapters[adapter](known), connection);
      made.set(key, provider);
      return provider;
    },
    close() {
      for (const provider of made.values()) provider.close();
    },
  };
}
