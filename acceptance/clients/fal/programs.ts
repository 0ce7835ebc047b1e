import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '@holdfast/testkit/command';
import { testFolder } from '@holdfast/testkit/testFolder';
import { pythonEnvironment, Skipped } from '../../providers/pythonEnvironment.ts';
import { installDependencies } from '../../stack/dependencies.ts';
import { machineEnvironment } from '../sdk/installed.ts';
import { certificate, tlsHost } from './tlsProxy.ts';

const tools = join(import.meta.dirname, 'tools');

export type Line = Record<string, unknown>;

async function linesOf(command: string, args: string[], env: NodeJS.ProcessEnv): Promise<Line[]> {
  const { code, stdout, stderr } = await runCommand(command, args, { cwd: tools, env, timeoutMs: 280_000 });
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr.slice(-3000)}`);
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line);
}

export const installNode = () => installDependencies(tools);

/** What a program printed. `env`: FAL_KEY, FAL_PROXY_URL and what else it reads. */
export const runNode = (file: string, env: Record<string, string>) =>
  linesOf(process.execPath, [file], { ...machineEnvironment(), ...env });

/** What a program printed; null, with the reason on the console, where its packages cannot be installed. */
export async function runPython(
  file: string,
  { proxyUrl, ...env }: { proxyUrl: string } & Record<string, string>,
): Promise<Line[] | null> {
  try {
    const { signal } = new AbortController();
    const folder = await pythonEnvironment('fal-clients', ['fal-client==1.0.3'], console.warn, signal);
    const trusted = join(testFolder('certificates'), 'ca.pem');
    writeFileSync(trusted, certificate);
    const host = { FAL_RUN_HOST: tlsHost, HTTPS_PROXY: proxyUrl, SSL_CERT_FILE: trusted, NO_PROXY: '' };
    return await linesOf(join(folder, 'bin/python'), [file], { ...machineEnvironment(), ...env, ...host });
  } catch (error) {
    if (!(error instanceof Skipped)) throw error;
    console.warn(`${file} is not run: ${error.message}.`);
    return null;
  }
}
