import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readLicences } from './licences.ts';
import { readLockfile } from './lockfile.ts';
import { sbomOf } from './sbom.ts';

const root = new URL('../../../../', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, root), 'utf8');

const [target] = process.argv.slice(2);
const { version = '0.0.0' } = JSON.parse(read('package.json')) as { version?: string };
const text = read('pnpm-lock.yaml');
const licences = readLicences(fileURLToPath(new URL('node_modules/.pnpm', root)));
const document = `${JSON.stringify(sbomOf(readLockfile(text), text, version, licences), null, 2)}\n`;
if (target === undefined) process.stdout.write(document);
else writeFileSync(target, document);
