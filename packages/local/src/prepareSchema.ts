import { openDatabase } from '@holdfast/db/client';
import { migrate } from '@holdfast/db/migrate/migrate';
import { makePartitions } from '@holdfast/db/partitions';

/** Also creates the partitions of two months, because the machine may have been off for long. */
export async function prepareSchema(databaseUrl: string): Promise<string[]> {
  const applied = await migrate(databaseUrl);
  const db = openDatabase({ url: databaseUrl, poolSize: 1, applicationName: 'partitions' });
  try {
    await makePartitions(db.pool);
  } finally {
    await db.close();
  }
  return applied;
}
