import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A recorded shape of the documents. */
export function fixture(name: string): Record<string, unknown> {
  const file = join(import.meta.dirname, '..', 'fixtures', `${name}.json`);
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
}
