import { createHash } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root, UserError } from '../child.mjs';
import { notesOf } from './changelog.mjs';
import { git, outputOf } from './command.mjs';
import { currentVersion } from './manifests.mjs';

const images = ['api-gateway', 'dispatcher', 'ledger', 'webhook-sender', 'sandbox', 'migrate', 'proxy'];
/** The files that `docker compose` needs without a clone. */
const forCompose = ['docker-compose.yml', '.env.example', 'LICENSE', 'deploy/init-env', 'deploy/backup'];
const foldersForCompose = ['deploy/restore', 'deploy/observability'];

const notesFile = 'release-notes.md';

const task = (...args) => outputOf(process.execPath, [path.join(root, 'scripts/run.mjs'), ...args]);

/** Copies the committed files below some paths to `target`. Other files of the folder may hold secrets. */
function copyTracked(paths, target, { below = '', without = [] } = {}) {
  const files = git(['ls-files', '-z', '--', ...paths])
    .split('\0')
    .filter(Boolean);
  for (const file of files) {
    const place = path.relative(below, file);
    if (without.some((folder) => place.startsWith(folder))) continue;
    mkdirSync(path.dirname(path.join(target, place)), { recursive: true });
    cpSync(path.join(root, file), path.join(target, place));
  }
}

function replaceIn(file, from, to) {
  const text = readFileSync(file, 'utf8');
  if (!text.includes(from)) throw new UserError(`${path.basename(file)} does not contain ${from}`);
  writeFileSync(file, text.replaceAll(from, to));
}

/** A gzipped tar of `folder/holdfast`, with the same bytes for the same commit. */
function archive(folder, out) {
  const same = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'];
  const time = `--mtime=@${git(['log', '-1', '--format=%ct'])}`;
  outputOf('tar', [...same, time, '--use-compress-program=gzip -n', '-cf', out, '-C', folder, 'holdfast']);
}

/** The chart, as `helm package` makes it. */
function packChart({ out, scratch, version, prefix, source }) {
  const folder = path.join(scratch, 'chart');
  const chart = path.join(folder, 'holdfast');
  copyTracked(['deploy/helm/holdfast'], chart, { below: 'deploy/helm/holdfast', without: ['ci/'] });
  replaceIn(path.join(chart, 'values.yaml'), '\n  prefix: holdfast\n', `\n  prefix: ${prefix}\n`);
  if (source) appendFileSync(path.join(chart, 'Chart.yaml'), `home: ${source}\nsources: [${source}]\n`);
  archive(folder, path.join(out, `holdfast-${version}.tgz`));
}

/** What a machine without a clone needs for `docker compose up`. */
function packCompose({ out, scratch, version, prefix }) {
  const folder = path.join(scratch, 'compose');
  copyTracked([...forCompose, ...foldersForCompose], path.join(folder, 'holdfast'));
  const file = path.join(folder, 'holdfast/docker-compose.yml');
  replaceIn(file, '${IMAGE_PREFIX:-holdfast}', `\${IMAGE_PREFIX:-${prefix}}`);
  archive(folder, path.join(out, `holdfast-compose-${version}.tgz`));
}

function withRepository(json, source, folder) {
  const repository = { type: 'git', url: `git+${source}.git`, directory: path.relative(root, folder) };
  return `${JSON.stringify({ ...JSON.parse(json), repository }, null, 2)}\n`;
}

function packNpm({ out, version, source }) {
  const folders = ['typescript', 'react'].map((name) => path.join(root, 'sdk', name));
  const before = folders.map((folder) => readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const write = (folder, text) => writeFileSync(path.join(folder, 'package.json'), text);
  try {
    // npm accepts a provenance only if the package names the repository that it was built in.
    if (source) folders.forEach((folder, at) => write(folder, withRepository(before[at], source, folder)));
    task('release', version, '--sdk');
  } finally {
    folders.forEach((folder, at) => write(folder, before[at]));
  }
  for (const name of ['typescript', 'react']) {
    const packed = `holdfast-${name === 'typescript' ? 'sdk' : name}-${version}.tgz`;
    copyFileSync(path.join(root, `sdk/${name}/package.tgz`), path.join(out, packed));
  }
}

/** The wheel and the source distribution. Their tools come from PyPI. */
function packPython({ out, scratch }) {
  const venv = path.join(scratch, 'venv');
  const python = path.join(venv, 'bin/python');
  outputOf('python3', ['-m', 'venv', venv]);
  outputOf(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'build==1.6.1']);
  outputOf(python, ['-m', 'build', '--outdir', out, path.join(root, 'sdk/python')]);
}

function packSbom({ out, version }) {
  task('audit', '--sbom', '--out', path.join(out, `holdfast-${version}.cdx.json`));
}

function packNotes({ out, version }) {
  const changelog = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8');
  writeFileSync(path.join(out, notesFile), `${notesOf(changelog, version)}\n`);
}

/** Builds the images for this machine's processor and saves each. Needs Docker. */
function saveImages({ out, version, prefix }) {
  outputOf('docker', ['info']);
  for (const name of images) {
    const tag = `${prefix}-${name}:${version}`;
    const labels = [
      '--build-arg',
      `VERSION=${version}`,
      '--build-arg',
      `REVISION=${git(['rev-parse', 'HEAD'])}`,
    ];
    outputOf('docker', ['build', '--quiet', '--target', name, ...labels, '--tag', tag, root]);
    outputOf('docker', ['save', '--output', path.join(out, `image-${name}-${version}.tar`), tag]);
  }
}

/** Lists the packages. The notes are not one: they become the text of the release. */
function writeChecksums(out) {
  const lines = readdirSync(out)
    .filter((name) => name !== notesFile)
    .toSorted()
    .map((name) => {
      const bytes = readFileSync(path.join(out, name));
      return `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`;
    });
  writeFileSync(path.join(out, 'SHA256SUMS'), lines.join(''));
}

/** What a release consists of, by the names that `--only` takes. */
const parts = {
  chart: packChart,
  compose: packCompose,
  npm: packNpm,
  python: packPython,
  sbom: packSbom,
  notes: packNotes,
  images: saveImages,
};
/** All but the images: a release builds them for several processors and pushes them. */
export const packedByDefault = Object.keys(parts).filter((name) => name !== 'images');
export const packable = Object.keys(parts);

/**
 * Makes the packages of the present version in `folder`. The published images have `prefix`. @returns what could not be
 * made, with the reason
 */
export function packRelease(folder, { prefix, source, only }) {
  const out = path.resolve(folder);
  mkdirSync(out, { recursive: true });
  if (readdirSync(out).length > 0) throw new UserError(`${out} is not empty.`);
  const scratch = mkdtempSync(path.join(tmpdir(), 'holdfast-release-'));
  const missing = [];
  try {
    const context = { out, scratch, prefix, source, version: currentVersion() };
    for (const name of only) {
      try {
        parts[name](context);
        console.log(`packed: ${name}`);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        missing.push(`${name}: ${error.message}`);
      }
    }
    writeChecksums(out);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return missing;
}
