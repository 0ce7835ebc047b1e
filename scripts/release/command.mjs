import { spawnSync } from 'node:child_process';
import { root, UserError } from '../child.mjs';

/** Runs a command and returns its output. @throws UserError with the last lines when it fails */
export function outputOf(command, args, { cwd = root, env = {}, stdio = 'pipe' } = {}) {
  const maxBuffer = 256 * 1024 * 1024;
  const options = { cwd, env: { ...process.env, ...env }, encoding: 'utf8', stdio, maxBuffer };
  const { status, stdout, stderr, error } = spawnSync(command, args, options);
  if (status === 0) return stdout ?? '';
  const lines = (error?.message ?? (stderr || stdout || '')).trimEnd().split('\n').slice(-15).join('\n');
  throw new UserError(`${command} ${args.join(' ')} failed (${status ?? 'not started'}).\n${lines}`.trim());
}

export const git = (args, options) => outputOf('git', args, options).trim();
