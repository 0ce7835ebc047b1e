import { z } from 'zod';
import type { Connection } from './connection.ts';

const baseUrl = z.url({ protocol: /^https?$/ });

type Environment = Record<string, string | undefined>;

/**
 * The connections that an environment describes: `OPENAI_BASE_URL` and `OPENAI_API_KEY` make `openai`. The
 * base URL alone decides that one exists; `OPENAI_API_KEY` alone means OpenAI itself. What is no URL is left out: the
 * variable may be somebody else's.
 */
export function connectionConfig(environment: Environment): Record<string, Connection> {
  return Object.fromEntries(
    baseUrls(environment)
      .filter(isUsable)
      .map(({ name, url }) => [
        name.toLowerCase(),
        { baseUrl: url.replace(/\/+$/, ''), apiKey: environment[`${name}_API_KEY`] || null },
      ]),
  );
}

/** The base URLs that were left out, a line each, for the operator to read. */
export function connectionProblems(environment: Environment): string[] {
  return baseUrls(environment)
    .filter((found) => !isUsable(found))
    .map(
      ({ name }) =>
        `${name}_BASE_URL is no http or https URL, so there is no connection ${name.toLowerCase()}`,
    );
}

function isUsable({ url }: { url: string }): boolean {
  return baseUrl.safeParse(url).success;
}

function baseUrls(environment: Environment): { name: string; url: string }[] {
  const urls = { ...environment };
  if (environment.OPENAI_API_KEY) urls.OPENAI_BASE_URL ||= 'https://api.openai.com/v1';
  return Object.entries(urls).flatMap(([variable, url]) => {
    const name = /^([A-Z][A-Z0-9_]*)_BASE_URL$/.exec(variable)?.[1];
    return name && url ? [{ name, url }] : [];
  });
}
