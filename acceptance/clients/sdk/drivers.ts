import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export type DriverResult = { outcome: string; execution_id: string | null; events: string[] };

/** The program that makes an SDK's calls: `behaviour.*` of its folder. */
export type Driver = { call(request: object): Promise<DriverResult>; close(): Promise<void> };

/** Starts a driver: it reads a request per line, and writes a result per line with the id of its request. */
export function startDriver(
  command: string,
  args: string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Driver {
  const child = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<
    string,
    { resolve: (result: DriverResult) => void; reject: (error: Error) => void }
  >();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, ...result } = JSON.parse(line) as DriverResult & { id: string };
    waiting.get(id)?.resolve(result);
    waiting.delete(id);
  });
  child.on('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`the driver ended with ${code}`));
  });
  return {
    call(request) {
      const id = randomUUID();
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        child.stdin.write(`${JSON.stringify({ id, ...request })}\n`);
      });
    },
    close: () => ended(child),
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}
