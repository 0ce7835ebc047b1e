import { UsageError } from '../usageError.ts';

/** A path below `/admin/v1`, whatever stands in its parts. @throws UsageError for one that would lead to another path */
export function adminPath(...parts: string[]): string {
  const astray = parts.find((part) => /^\.{0,2}$/.test(part));
  if (astray !== undefined) throw new UsageError(`"${astray}" is no id`);
  return parts.map((part) => `/${encodeURIComponent(part)}`).join('');
}
