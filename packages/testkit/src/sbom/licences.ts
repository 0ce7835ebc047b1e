import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** What each package that is installed says of its licence, by `name@version`; `store`: the folder node_modules/.pnpm. */
export function readLicences(store: string): Map<string, string> {
  const licences = new Map<string, string>();
  for (const folder of foldersIn(store).flatMap((one) => foldersIn(join(one, 'node_modules')))) {
    const packages = basename(folder).startsWith('@') ? foldersIn(folder) : [folder];
    for (const manifest of packages.map((one) => join(one, 'package.json')).filter(existsSync)) {
      const { name, version, license } = JSON.parse(readFileSync(manifest, 'utf8'));
      if (typeof license === 'string') licences.set(`${name}@${version}`, license);
    }
  }
  return licences;
}

/** Not what is linked there: that has a folder of its own. */
function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((one) => one.isDirectory()).map(({ name }) => join(folder, name));
}
