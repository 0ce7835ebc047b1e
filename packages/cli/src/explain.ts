import { isDatabaseUnavailable } from '@holdfast/db/unavailable';
import { reasonOf } from '@holdfast/kit/reason';

/** What a database said, in one line that tells what to look at. `name`: which one it is. */
export function explain(error: unknown, name: string): string {
  const reason = reasonOf(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (isDatabaseUnavailable(error)) return `the database at ${name} can't be reached: ${reason}`;
  if (/^(28|3D)/.test(code)) return `the database at ${name} can't be used: ${reason}`;
  if (/^42(P01|703|883)$/.test(code)) {
    return `the database at ${name} is not migrated to this version of Holdfast: ${reason}`;
  }
  return reason;
}
