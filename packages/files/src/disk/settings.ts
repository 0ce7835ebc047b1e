/**
 * `publicUrl`: where clients reach the gateway. The first of `urlSecrets` signs, all of them check; every process that
 * checks has the one that any process signs with.
 */
export type DiskSettings = { path: string; urlSecrets: readonly string[]; publicUrl: string };
