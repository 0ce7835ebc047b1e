import type { adapters } from '@holdfast/domain/modelRoute';
import { z } from 'zod';
import type { Connection } from './connection.ts';
import { outputOrigins } from './outputFiles.ts';

const baseUrl = z.url({ protocol: /^https?$/ });

type Environment = Record<string, string | undefined>;

/** Used when only the key is set; `key`: the name in the provider's own docs. */
const hosted: Record<string, { url: string; key?: string }> = {
  OPENAI: { url: 'https://api.openai.com/v1' },
  REPLICATE: { url: 'https://api.replicate.com/v1', key: 'REPLICATE_API_TOKEN' },
  FAL: { url: 'https://queue.fal.run', key: 'FAL_KEY' },
};

const keyed: readonly string[] = ['replicate', 'fal'] satisfies (typeof adapters)[number][];

export function isConfigured(
  route: { adapter: string; connection: string },
  connections: Record<string, Connection>,
): boolean {
  return missingSetting(route, connections) === null;
}

/** The variable without which a model cannot run on this connection; null when it can. */
export function missingSetting(
  { adapter, connection }: { adapter: string; connection: string },
  connections: Record<string, Connection>,
): string | null {
  const known = Object.hasOwn(connections, connection) ? connections[connection] : undefined;
  if (known !== undefined && (known.apiKey !== null || !keyed.includes(adapter))) return null;
  const name = connection.toUpperCase();
  const isKeyRequested = known !== undefined || Object.hasOwn(hosted, name);
  return isKeyRequested ? keyVariable(connection) : `${name}_BASE_URL`;
}

/** The settings that all routes of a model lack; null when one of them is configured. */
export function missingSettings(
  routes: readonly { adapter: string; connection: string }[],
  connections: Record<string, Connection>,
): string | null {
  const missing = routes.map((route) => missingSetting(route, connections));
  if (missing.includes(null)) return null;
  return `${[...new Set(missing)].join(' or ')} is not set`;
}

export function keyVariable(connection: string): string {
  const name = connection.toUpperCase();
  return (Object.hasOwn(hosted, name) ? hosted[name]?.key : undefined) ?? `${name}_API_KEY`;
}

/** Connections by name, from a base URL or a hosted provider's key. An invalid URL may belong to another program: ignored. */
export function connectionConfig(environment: Environment): Record<string, Connection> {
  return Object.fromEntries(
    baseUrls(environment)
      .filter(isUsable)
      .map(({ name, url }) => [
        name.toLowerCase(),
        {
          baseUrl: url.replace(/\/+$/, ''),
          apiKey: keyOf(environment, name) ?? null,
          settings: settingsOf(environment, name),
        },
      ]),
  );
}

/** Ignored base URLs and output origins, one line each, for the operator. */
export function connectionProblems(environment: Environment): string[] {
  return baseUrls(environment).flatMap((found) => {
    const { name } = found;
    if (!isUsable(found))
      return [
        `${name}_BASE_URL is not an http or https URL, so there is no connection ${name.toLowerCase()}`,
      ];
    return outputOrigins(settingsOf(environment, name))
      .filter(({ url }) => url === null)
      .map(
        ({ text }) =>
          `${name}_OUTPUT_ORIGINS: ${text} is not an origin such as http://minio:9000, and is ignored`,
      );
  });
}

function isUsable({ url }: { url: string }): boolean {
  return baseUrl.safeParse(url).success;
}

function keyOf(environment: Environment, name: string): string | undefined {
  return environment[`${name}_API_KEY`] || environment[hosted[name]?.key ?? ''] || undefined;
}

function settingsOf(environment: Environment, name: string): Record<string, string> {
  const apart = [`${name}_BASE_URL`, `${name}_API_KEY`, hosted[name]?.key];
  const own = Object.entries(environment).filter(
    ([variable, value]) => variable.startsWith(`${name}_`) && value && !apart.includes(variable),
  );
  return Object.fromEntries(own.map(([variable, value]) => [variable.slice(name.length + 1), value ?? '']));
}

function baseUrls(environment: Environment): { name: string; url: string }[] {
  const urls = { ...environment };
  for (const [name, { url }] of Object.entries(hosted)) {
    if (keyOf(environment, name)) urls[`${name}_BASE_URL`] ||= url;
  }
  return Object.entries(urls).flatMap(([variable, url]) => {
    const name = /^([A-Z][A-Z0-9_]*)_BASE_URL$/.exec(variable)?.[1];
    return name && url ? [{ name, url }] : [];
  });
}
