import type { Adapter, ProviderRoute } from '@holdfast/domain/modelDefinition';
import { createCog } from './cog/cog.ts';
import type { Connection } from './connection.ts';
import { createFal } from './fal/fal.ts';
import type { Provider } from './interface.ts';
import { createOpenai } from './openai/openai.ts';
import { createReplicate } from './replicate/replicate.ts';

const adapters: Partial<Record<Adapter, (connection: Connection) => Provider>> = {
  openai: createOpenai,
  cog: createCog,
  replicate: createReplicate,
  fal: createFal,
};

/** The adapter that speaks for a model's connection; null: that connection is not configured here. */
export type Providers = {
  find(provider: Pick<ProviderRoute, 'adapter' | 'connection'>): Provider | null;
  close(): void;
};

export function createProviders(connections: Record<string, Connection>): Providers {
  const made = new Map<string, Provider>();
  return {
    find({ adapter, connection }) {
      const known = Object.hasOwn(connections, connection) ? connections[connection] : undefined;
      const create = adapters[adapter];
      if (known === undefined || create === undefined) return null;
      const key = `${adapter} ${connection}`;
      const provider = made.get(key) ?? create(known);
      made.set(key, provider);
      return provider;
    },
    close() {
      for (const provider of made.values()) provider.close();
    },
  };
}
