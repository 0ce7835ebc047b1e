import { readMigrateConfig } from './migrate/config.ts';
import { migrate } from './migrate/migrate.ts';

try {
  const applied = await migrate(readMigrateConfig().databaseUrl);
  for (const name of applied) console.log(`applied ${name}`);
  if (applied.length === 0) console.log('nothing to apply');
} catch (error) {
  console.error(`migrate: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
