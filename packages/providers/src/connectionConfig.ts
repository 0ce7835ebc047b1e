import { z } from 'zod';
import type { Connection } from './connection.ts';

const baseUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });

/**
 * The connections that an environment describes: `OPENAI_BASE_URL` and `OPENAI_API_KEY` make `openai`. The
 * base URL alone decides that one exists; `OPENAI_API_KEY` alone means OpenAI itself. Throws an error that
 * names every bad variable.
 */
export function connectionConfig(
  environment: Record<string, string | undefined>,
): Record<string, Connection> {
  const urls: Record<string, string | undefined> = { ...environment };
  if (environment.OPENAI_API_KEY) urls.OPENAI_BASE_URL ||= 'https://api.openai.com/v1';
  const found = Object.entries(urls).flatMap(([variable, url]) => {
    const name = /^([A-Z][A-Z0-9_]*)_BASE_URL$/.exec(variable)?.[1];
    return name && url ? [{ name, variable, url }] : [];
  });
  const bad = found.filter(({ url }) => !baseUrl.safeParse(url).success).map(({ variable }) => variable);
  if (bad.length > 0) throw new Error(`must be http or https URLs: ${bad.join(', ')}`);
  return Object.fromEntries(
    found.map(({ name, url }) => [
      name.toLowerCase(),
      { baseUrl: url.replace(/\/+$/, ''), apiKey: environment[`${name}_API_KEY`] || null },
    ]),
  );
}
