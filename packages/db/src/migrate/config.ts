/** What the migrate command takes from the environment. Throws when DATABASE_URL is missing. */
export function readMigrateConfig(env: NodeJS.ProcessEnv = process.env): { databaseUrl: string } {
  const databaseUrl = env['DATABASE_URL'];
  if (!databaseUrl) throw new Error('DATABASE_URL is not set.');
  return { databaseUrl };
}
