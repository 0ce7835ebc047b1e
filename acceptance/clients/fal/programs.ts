import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '@holdfast/testkit/testFolder';
import { programsIn } from '../programs.ts';
import { certificate, tlsHost } from './tlsProxy.ts';

const { install, runNode, runPython: python } = programsIn(join(import.meta.dirname, 'tools'));

const packages = ['fal-client==1.0.3', 'pynacl==1.6.2'];

export { install as installNode, runNode };

/** What a program printed; null where its packages cannot be installed. */
export function runPython(file: string, { proxyUrl, ...env }: { proxyUrl: string } & Record<string, string>) {
  const trusted = join(testFolder('certificates'), 'ca.pem');
  writeFileSync(trusted, certificate);
  const host = { FAL_RUN_HOST: tlsHost, HTTPS_PROXY: proxyUrl, SSL_CERT_FILE: trusted, NO_PROXY: '' };
  return python(file, { ...env, ...host }, { name: 'fal-clients', packages });
}
