import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';

/**
 * Builds the documentation unless it is up to date, behind everything else; the gateway serves it as soon as it exists.
 * Returns the function that ends the build.
 */
export function buildDocumentation(root: string, say: (line: string) => void): () => void {
  const args = ['--disable-warning=ExperimentalWarning', join(root, 'packages/docs/src/build.ts')];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let problem = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    problem = (problem + text).slice(0, 2000);
  });
  child.on('error', (error) => say(`The documentation was not built: ${error.message}`));
  child.on('exit', (code) => {
    if (code) say(`The documentation was not built: ${problem}`);
  });
  if (child.pid !== undefined) lowerPriority(child.pid);
  return () => void child.kill();
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has already ended.
  }
}
