import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A recorded shape of the documents, and what differs here. */
export function fixture(name: string, part: object = {}): Record<string, unknown> {
  const file = join(import.meta.dirname, '..', 'fixtures', `${name}.json`);
  return { ...(JSON.parse(readFileSync(file, 'utf8')) as object), ...part };
}
