import { existsSync } from 'node:fs';
import path from 'node:path';
import { root, run } from './child.mjs';

const version = 'v3.22.0';
const own = path.join(root, 'node_modules/.cache/holdfast/helm');

function onPath(program) {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return folders.map((folder) => path.join(folder, program)).find((file) => existsSync(file));
}

/** Helm on the PATH, or built where Go is; null if there is neither. */
export async function findHelm() {
  const present = onPath('helm') ?? (existsSync(own) ? own : null);
  if (present || !onPath('go')) return present;
  console.error(`Building Helm ${version} with Go, which takes a minute or two the first time.`);
  let output = '';
  const code = await run('go', ['install', '-ldflags=-s -w', `helm.sh/helm/v3/cmd/helm@${version}`], {
    env: { GOBIN: path.dirname(own), CGO_ENABLED: '0' },
    onOutput: (text) => void (output += text),
  });
  if (code === 0) return own;
  console.error(`Helm could not be built:\n${output}`);
  return null;
}
