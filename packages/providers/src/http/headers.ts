import type { Connection } from '../connection.ts';
import type { HeaderOptions } from './options.ts';

/** The headers of a request, or the setting that is missing for them. */
export type Headers = { ok: true; headers: Record<string, string> } | { ok: false; missing: string };

/** The model's headers with the connection's settings in them. Its key is a bearer token unless one of them holds it. */
export function headersOf({ apiKey, settings }: Connection, options: HeaderOptions): Headers {
  const known: Record<string, string> = { ...settings, ...(apiKey !== null && { API_KEY: apiKey }) };
  const entries = Object.entries(options);
  const isKeyNamed = entries.some(([, value]) => typeof value !== 'string' && value.from === 'API_KEY');
  const headers: Record<string, string> =
    apiKey !== null && !isKeyNamed ? { authorization: `Bearer ${apiKey}` } : {};
  for (const [name, value] of entries) {
    if (typeof value === 'string') headers[name.toLowerCase()] = value;
    else {
      const found = Object.hasOwn(known, value.from) ? known[value.from] : undefined;
      if (found === undefined) return { ok: false, missing: value.from };
      headers[name.toLowerCase()] = `${value.prefix}${found}`;
    }
  }
  return { ok: true, headers };
}
