/** `publicUrl`: where clients reach the gateway. `urlSecret` signs; the same in every process that signs or checks. */
export type DiskSettings = { path: string; urlSecret: string; publicUrl: string };
