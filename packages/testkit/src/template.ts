import { databaseUrl } from '@holdfast/db/databases';

/** The database that every test's own is a copy of. */
export const templateName = 'template_holdfast';

/** The maintenance database of the server that `url` points at. */
export function serverUrl(url: string): string {
  return databaseUrl(url, 'postgres');
}
