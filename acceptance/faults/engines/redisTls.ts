import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { cert, key } from '@holdfast/egress/testing/servers';
import { testFolder } from '@holdfast/testkit/testFolder';

export type TlsFiles = { certFile: string; keyFile: string };

/** A self-signed certificate for 127.0.0.1, and its key. */
export function tlsFiles(): TlsFiles {
  const folder = testFolder('tls');
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  writeFileSync(files.certFile, cert);
  writeFileSync(files.keyFile, key, { mode: 0o600 });
  return files;
}

/** The options of redis-cli for TLS. */
export const cliOver = (tls?: TlsFiles): string[] => (tls ? ['--tls', '--cacert', tls.certFile] : []);

/** An authority file with an unrelated authority, followed by the content of another file. */
export function strangersFile(before?: string): string {
  const file = join(testFolder('tls'), 'stranger.pem');
  writeFileSync(file, `${rootCertificates[0]}\n${before ? readFileSync(before, 'utf8') : ''}`);
  return file;
}

/** Configuration of a Redis that accepts only TLS, with or without client certificates. */
export function tlsSettings({ certFile, keyFile }: TlsFiles, { asks = false } = {}): string[] {
  return [
    'port 0',
    'tls-port $PORT',
    `tls-auth-clients ${asks ? 'yes' : 'no'}`,
    `tls-cert-file ${certFile}`,
    `tls-key-file ${keyFile}`,
    `tls-ca-cert-file ${certFile}`,
  ];
}
