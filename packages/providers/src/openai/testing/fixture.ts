import { readFileSync } from 'node:fs';

/** A recorded response from the documentation of the protocol. */
export function fixture(name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), 'utf8')) as Record<
    string,
    unknown
  >;
}

/** A recorded stream of server-sent events. */
export function streamFixture(name: string): string {
  return readFileSync(new URL(`../fixtures/${name}.txt`, import.meta.url), 'utf8');
}
