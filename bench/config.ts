/** The environment of this process without what would change the measured services. */
export function serviceEnvironment(home: string, profileFolder: string | null): NodeJS.ProcessEnv {
  return {
    ...withoutOwnServers(process.env),
    HOLDFAST_HOME: home,
    LOG_LEVEL: 'warn',
    EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
    WEBHOOK_ALLOW_HTTP: 'true',
    RATE_LIMIT_CREATE_PER_MINUTE: '1000000000',
    RATE_LIMIT_PER_MINUTE: '1000000000',
    // The bench audits the ledger itself: see run.ts.
    AUDIT_INTERVAL_S: '604800',
    ...(profileFolder === null ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileFolder}` }),
  };
}

const leadElsewhere = ['DATABASE_URL', 'REDIS_URL', 'PORT', 'ADMIN_PORT', 'PUBLIC_URL', 'CALLBACK_URL'];

function withoutOwnServers(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !leadElsewhere.includes(name)));
}
