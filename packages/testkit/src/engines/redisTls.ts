import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cert, key } from '@holdfast/egress/testCertificate';
import { testFolder } from '../testFolder.ts';

export type TlsFiles = { certFile: string; keyFile: string };

/** A certificate of 127.0.0.1 that vouches for itself, and its key. */
export function tlsFiles(): TlsFiles {
  const folder = testFolder('tls');
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  writeFileSync(files.certFile, cert);
  writeFileSync(files.keyFile, key, { mode: 0o600 });
  return files;
}

/** Lines for a Redis that speaks TLS alone. */
export function tlsSettings({ certFile, keyFile }: TlsFiles): string[] {
  return [
    'port 0',
    'tls-port $PORT',
    'tls-auth-clients no',
    `tls-cert-file ${certFile}`,
    `tls-key-file ${keyFile}`,
    `tls-ca-cert-file ${certFile}`,
  ];
}
