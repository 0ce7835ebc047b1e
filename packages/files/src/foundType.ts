import { allowedTypes } from './allowedTypes.ts';
import { detectType, matchesDeclaredType } from './detectType.ts';

/** The allowed type that bytes which begin so are of; null when they are of none. */
export async function foundType(head: Buffer): Promise<string | null> {
  const detected = await detectType(head);
  if (detected === null) return (await matchesDeclaredType(head, 'text/plain')) ? 'text/plain' : null;
  const candidates = [detected, ...allowedTypes.filter((type) => !isTextType(type))];
  for (const type of candidates) {
    if (await matchesDeclaredType(head, type)) return type;
  }
  return null;
}

/** Those that no magic bytes tell. */
export function isTextType(type: string): boolean {
  return type.startsWith('text/') || type === 'application/json';
}
