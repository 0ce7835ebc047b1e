import { spawn } from 'node:child_process';

// Reads lines `services|servers` of pids until the launcher is gone: services end (endWithLauncher.ts), then servers.
const script = `
trap '' INT TERM HUP
services='' servers=''
while IFS='|' read -r a b; do services=$a; servers=$b; done
alive() { for pid in $1; do kill -0 "$pid" 2>/dev/null && return 0; done; return 1; }
wait_for() { n=0; while alive "$1" && [ $n -lt "$2" ]; do sleep 1; n=$((n + 1)); done; }
[ "$services" = done ] && exit 0
wait_for "$services" 12
for pid in $services; do kill -KILL "$pid" 2>/dev/null; done
for pid in $servers; do kill -INT "$pid" 2>/dev/null; done
wait_for "$servers" 10
[ -n "$1" ] && rm -rf -- "$1"
exit 0
`;

export type OrphanGuard = {
  watch: (services: number[], servers: number[]) => void;
  dismiss: () => void;
};

/** Starts a small process that outlives a killed launcher and cleans up after it. */
export function startOrphanGuard(folderToRemove?: string): OrphanGuard {
  const child = spawn('/bin/sh', ['-c', script, 'holdfast-guard', folderToRemove ?? ''], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.unref();
  return {
    watch: (services, servers) => void child.stdin.write(`${services.join(' ')}|${servers.join(' ')}\n`),
    dismiss: () => void child.stdin.end('done|\n'),
  };
}
