import { spawn } from 'node:child_process';

export type CommandOptions = {
  cwd?: string;
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
};

export type CommandResult = { code: number; stdout: string; stderr: string };

/** Runs a command with its children, whatever its exit code (1 after a signal). @throws when it cannot be started */
export function runCommand(command: string, args: string[], options: CommandOptions): Promise<CommandResult> {
  const { cwd, env, signal, timeoutMs } = options;
  signal?.throwIfAborted();
  // In a process group of its own: Ctrl-C reaches this process only, which then ends its commands.
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (output.stderr += text));
  const end = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
  };
  signal?.addEventListener('abort', end);
  const timer = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs);
  return new Promise<CommandResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, ...output }));
  }).finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  });
}

const lastLines = (text: string, count: number) => text.trimEnd().split('\n').slice(-count).join('\n');

/** @throws with its last lines when it fails */
export async function outputOf(command: string, args: string[], options: CommandOptions): Promise<string> {
  const { code, stdout, stderr } = await runCommand(command, args, options);
  options.signal?.throwIfAborted();
  if (code === 0) return stdout;
  throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${lastLines(stderr || stdout, 25)}`);
}
