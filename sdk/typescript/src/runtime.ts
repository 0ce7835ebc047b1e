import type fs from 'node:fs';
import type promises from 'node:fs/promises';

/** What differs between Node, Deno, Bun, workers and browsers. */

export function isBrowser(): boolean {
  const { document, Deno } = globalThis as { document?: { createElement?: unknown }; Deno?: unknown };
  return typeof document?.createElement === 'function' && Deno === undefined;
}

type BuiltinModules = { 'node:fs': typeof fs; 'node:fs/promises': typeof promises };

/**
 * A built-in module of Node, Deno or Bun. Not an import, because bundlers for browsers fail on those.
 * @throws TypeError where there are no files
 */
export function builtin<Name extends keyof BuiltinModules>(name: Name): BuiltinModules[Name] {
  const found = typeof process === 'undefined' ? undefined : process.getBuiltinModule?.(name);
  if (!found) throw new TypeError('This runtime has no files (Node needs version 20.16 or newer).');
  return found;
}
