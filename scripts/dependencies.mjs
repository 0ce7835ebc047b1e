import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { node24, root, run, runNode, successful, UserError } from './child.mjs';
import { withInstallLock } from './installLock.mjs';

const installStamp = path.join(root, 'node_modules/.holdfast-install');
const generateStamp = path.join(root, 'node_modules/.holdfast-prisma');
const generatedClient = path.join(root, 'packages/db/src/generated/client.ts');
/** The folder of Node's compile cache, for the services and the launcher. */
export const compileCache = process.env.NODE_COMPILE_CACHE ?? path.join(root, 'node_modules/.cache/holdfast');
const compileStamp = path.join(compileCache, '.sources');
const offline =
  /ENOTFOUND|ENOTCACHED|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT|META_FETCH_FAIL|error sending request|dns error/i;

/** Hashes this kind of machine, and the names and contents of files. @param {...string} files from the root */
export function hashOf(...files) {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`);
  for (const file of files.toSorted()) hash.update(file).update(readFileSync(path.join(root, file)));
  return hash.digest('hex');
}

/** Empty without the file. */
export function stampOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The paths, from the root, of the files in a folder and its folders, without links that lead nowhere. */
export function filesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
    .map((file) => path.relative(root, file));
}

function workspaceFolders() {
  const folders = ['packages', 'services'].flatMap((group) =>
    readdirSync(path.join(root, group)).map((name) => path.join(root, group, name)),
  );
  // A folder with a lockfile is a workspace of its own.
  return folders.filter((folder) => !existsSync(path.join(folder, 'pnpm-lock.yaml')));
}

function linked(folder) {
  const manifest = path.join(folder, 'package.json');
  if (!existsSync(manifest) || existsSync(path.join(folder, 'node_modules'))) return true;
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8'));
  return Object.keys({ ...dependencies, ...devDependencies }).length === 0;
}

function installed() {
  const current = hashOf('pnpm-lock.yaml', 'pnpm-workspace.yaml');
  return stampOf(installStamp) === current && existsSync(node24) && workspaceFolders().every(linked);
}

function generated() {
  return (
    stampOf(generateStamp) === hashOf('prisma/schema.prisma', 'pnpm-lock.yaml') && existsSync(generatedClient)
  );
}

/** Shows pnpm's latest progress line every few seconds, and keeps the whole output for a failure message. */
function progressOf(everyMs) {
  let all = '';
  const timer = setInterval(() => {
    const line = all
      .trimEnd()
      .split('\n')
      .findLast((text) => text.startsWith('Progress:'));
    if (line) console.error(`  ${line.replace('Progress: ', '')}`);
  }, everyMs);
  return { onOutput: (text) => void (all += text), end: () => clearInterval(timer), text: () => all };
}

/** The pnpm version that package.json pins. */
function packageManager() {
  return JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).packageManager;
}

/** `npx` already runs the pinned version, so pnpm need not check the pin. */
export function runPnpm([command, ...args], options) {
  return run('npx', ['--yes', packageManager(), command, '--pm-on-fail=ignore', ...args], options);
}

async function install() {
  const startedAt = Date.now();
  console.error(`Installing dependencies with ${packageManager()} (only when they change) ...`);
  const progress = progressOf(5_000);
  const args = [
    'install',
    '--frozen-lockfile',
    '--reporter=append-only',
    // Short waits, to report an unreachable registry within a minute.
    '--config.fetch-retries=3',
    '--config.fetch-retry-mintimeout=300',
    '--config.fetch-retry-maxtimeout=1000',
  ];
  const code = await runPnpm(args, {
    env: { CI: 'true', npm_config_fetch_retry_mintimeout: '1000' },
    onOutput: progress.onOutput,
  }).finally(progress.end);
  if (code > 128) throw new UserError('Installing the dependencies was interrupted.');
  if (code !== 0) {
    if (offline.test(progress.text())) {
      throw new UserError(
        "The npm registry can't be reached, and the dependencies are not installed yet: check the network and try again.",
      );
    }
    throw new UserError(
      `Installing the dependencies failed (exit code ${code}):\n${progress.text().split('\n').slice(-25).join('\n')}`,
    );
  }
  writeFileSync(installStamp, hashOf('pnpm-lock.yaml', 'pnpm-workspace.yaml'));
  console.error(`Dependencies are installed (${((Date.now() - startedAt) / 1000).toFixed(0)} s).`);
}

async function generatePrismaClient() {
  let output = '';
  // The CLI requires an engine although generating needs none: any executable satisfies it.
  const env = {
    PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true',
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    CHECKPOINT_DISABLE: '1',
  };
  const onOutput = (text) => void (output += text);
  const code = await runNode(['prisma/node_modules/prisma/build/index.js', 'generate'], { env, onOutput });
  if (code !== 0) throw new UserError(`Generating the Prisma client failed:\n${output}`);
  mkdirSync(path.dirname(generateStamp), { recursive: true });
  writeFileSync(generateStamp, hashOf('prisma/schema.prisma', 'pnpm-lock.yaml'));
}

/** Installs the dependencies and generates the Prisma client, each only if its source has changed. */
export async function ensureReady() {
  if (installed() && generated()) return;
  await withInstallLock(async () => {
    if (!installed()) await install();
    if (!generated()) await generatePrismaClient();
  });
}

/**
 * Installs the tools of a folder with a lockfile of its own, if that has changed.
 * @param {string} folder from the root
 * @param {string} owner of the tools, for messages
 */
export async function ensureTools(folder, owner, say = () => {}) {
  const stamp = path.join(root, folder, 'node_modules/.holdfast-install');
  const current = hashOf(path.join(folder, 'pnpm-lock.yaml'));
  if (stampOf(stamp) === current) return;
  await withInstallLock(async () => {
    if (stampOf(stamp) === current) return;
    say(`Installing the tools of ${owner} (only when they change) ...`);
    const args = [
      'install',
      `--dir=${path.join(root, folder)}`,
      '--frozen-lockfile',
      '--prefer-offline',
      '--reporter=append-only',
    ];
    await successful(`Installing the tools of ${owner}`, (onOutput) =>
      runPnpm(args, { env: { CI: 'true' }, onOutput }),
    );
    writeFileSync(stamp, current);
  });
}

/**
 * Hashes the code of the packages and services, where it is, and who runs it: Node keeps what it compiles by path and
 * user.
 */
function hashOfSources() {
  const folders = workspaceFolders().map((folder) => path.join(folder, 'src'));
  const files = folders
    .filter((folder) => existsSync(folder))
    .flatMap(filesIn)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  return [hashOf('pnpm-lock.yaml', 'deploy/image/compile.mjs', ...files), process.getuid?.(), root].join(' ');
}

/** Compiles what services load, if it has changed: one that compiles its own code holds 15 MB more for as long as it runs. */
export async function ensureCompiled() {
  if (process.env.NODE_DISABLE_COMPILE_CACHE) return;
  const current = hashOfSources();
  if (stampOf(compileStamp) === current) return;
  console.error('Compiling the services (only when they change) ...');
  const env = { NODE_COMPILE_CACHE: compileCache };
  const code = await runNode(['deploy/image/compile.mjs'], { env, onOutput: () => {} });
  if (code > 128) throw new UserError('Compiling the services was interrupted.');
  // A service that can't be loaded says why when it starts.
  if (code === 0) keepStamp(current);
}

function keepStamp(current) {
  try {
    writeFileSync(compileStamp, current);
  } catch {
    // Without the folder, or room in it, nothing was kept: the next start compiles again.
  }
}
