import { join } from 'node:path';
import { programsIn } from '../programs.ts';
import { tlsHost, trustingTls } from '../tlsProxy.ts';

const { install, runNode, runPython: python } = programsIn(join(import.meta.dirname, 'tools'));

const packages = ['fal-client==1.0.3', 'pynacl==1.6.2'];

export { install as installNode, runNode };

/** What a program printed; null where its packages cannot be installed. */
export function runPython(file: string, { proxyUrl, ...env }: { proxyUrl: string } & Record<string, string>) {
  const host = { FAL_RUN_HOST: tlsHost, HTTPS_PROXY: proxyUrl, NO_PROXY: '', ...trustingTls() };
  return python(file, { ...env, ...host }, { name: 'fal-clients', packages });
}
