import pg from 'pg';

/**
 * Marks migrations that were begun and not finished as rolled back, which they are (`migrationAdapter.ts`): the engine
 * would refuse to go on before somebody does. The caller holds the lock of the migrations.
 */
export async function forgetUnfinished(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'holdfast-migrate' });
  await client.connect();
  try {
    const { rows } = await client.query(`SELECT WHERE to_regclass('_prisma_migrations') IS NOT NULL`);
    if (rows.length > 0) await client.query(statement);
  } finally {
    await client.end();
  }
}

const statement = `UPDATE _prisma_migrations SET rolled_back_at = now()
  WHERE finished_at IS NULL AND rolled_back_at IS NULL`;
