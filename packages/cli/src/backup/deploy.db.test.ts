import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openDatabase } from '@holdfast/db/client';
import { type CommandResult, runCommand } from '@holdfast/testkit/command';
import { createTestOrganization } from '@holdfast/testkit/testData';
import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { testFolder } from '@holdfast/testkit/testFolder';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const root = resolve(import.meta.dirname, '../../../..');
const main = join(root, 'packages/cli/src/main.mjs');

/** In the place of docker: says the commands it was given, and runs `holdfast` here, on the folder that it was to mount. */
const docker = `#!/bin/sh
echo "docker $*" >>"$CALLS"
case "$*" in
  "compose config --services") printf '%s\\n' holdfast $SERVERS ;;
  "compose ps --services --status running") [ "$RUNNING" != broken ] || exit 1; printf '%s\\n' $RUNNING ;;
  "compose run "*)
    while [ "$1" != holdfast ]; do
      [ "$1" != --volume ] || mounted=\${2%%:*}
      shift
    done
    shift
    for argument; do
      shift
      [ "$argument" != /backup ] || argument=$mounted
      set -- "$@" "$argument"
    done
    exec "$NODE" --disable-warning=ExperimentalWarning "$MAIN" "$@" ;;
esac
`;

/** A clone with the scripts and an .env, and where its docker writes down the commands it was given. */
function makeClone() {
  const folder = testFolder('clone');
  mkdirSync(join(folder, 'deploy'));
  mkdirSync(join(folder, 'bin'));
  for (const name of ['backup', 'restore'])
    copyFileSync(join(root, 'deploy', name), join(folder, 'deploy', name));
  writeFileSync(join(folder, 'bin/docker'), docker);
  chmodSync(join(folder, 'bin/docker'), 0o755);
  writeFileSync(join(folder, '.env'), '');
  return { folder, calls: join(folder, 'calls') };
}

let clone: ReturnType<typeof makeClone>;
let source: { url: string; drop: () => Promise<void> };
let target: { url: string; drop: () => Promise<void> };
let made: string;

beforeAll(async () => {
  clone = makeClone();
  [source, target] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const db = openDatabase({ url: source.url, poolSize: 1, applicationName: 'test' });
  await createTestOrganization(db, '5');
  await db.close();
  made = join(clone.folder, 'made');
});
afterAll(async () => {
  await source.drop();
  await target.drop();
});

function run(
  script: 'backup' | 'restore',
  args: string[],
  more: Record<string, string> = {},
): Promise<CommandResult> {
  const { DATABASE_URL: _database, NODE_OPTIONS: _options, ...env } = process.env;
  return runCommand('sh', [join(clone.folder, 'deploy', script), ...args], {
    cwd: clone.folder,
    env: {
      ...env,
      PATH: `${join(clone.folder, 'bin')}:${process.env['PATH']}`,
      CALLS: clone.calls,
      NODE: process.execPath,
      MAIN: main,
      SERVERS: 'postgres store redis',
      RUNNING: '',
      DATABASE_URL: script === 'backup' ? source.url : target.url,
      FILE_STORE: 'disk',
      FILE_DISK_PATH: join(clone.folder, 'store'),
      FILE_URL_SECRET: 'a secret for the tests',
      PUBLIC_URL: 'http://a',
      ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      ...more,
    },
  });
}

const calls = () => readFileSync(clone.calls, 'utf8');

describe('deploy/backup', () => {
  it('writes a backup and reads it back', async () => {
    const { code, stderr } = await run('backup', ['made']);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`done: ${made}.`)]);
    expect(stderr).toContain('keep ENCRYPTION_KEYS (.env) apart from it');
    expect(existsSync(join(made, 'manifest.json'))).toBe(true);
    expect(calls()).toContain(`--volume ${made}:/backup holdfast restore /backup --check`);
  });

  it('does not overwrite a backup, and fails when the database is unavailable', async () => {
    expect(await run('backup', ['made'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not empty'),
    });
    const unavailable = await run('backup', ['other'], { DATABASE_URL: 'postgresql://a:b@127.0.0.1:1/none' });
    expect(unavailable).toMatchObject({ code: 1, stderr: expect.stringContaining('NOT BACKED UP') });
  });

  it.each(['backup', 'restore'] as const)(
    'has --help for deploy/%s, which refuses unknown arguments',
    async (name) => {
      const { code, stdout } = await run(name, ['--help']);
      expect([code, stdout]).toEqual([0, expect.stringContaining(`Usage: deploy/${name}`)]);
      expect(await run(name, ['--nonsense'])).toMatchObject({ code: 2, stdout: '' });
    },
  );
});

describe('deploy/restore', () => {
  const words = (text: string) => ({ code: 1, stderr: expect.stringContaining(text) });

  it('refuses while a service runs or may be running, and refuses a folder that is not a backup', async () => {
    expect(await run('restore', [made], { RUNNING: 'redis ledger' })).toMatchObject(
      words('services are running: ledger.'),
    );
    expect(await run('restore', [made], { RUNNING: 'broken' })).toMatchObject(
      words('cannot list the running services'),
    );
    expect(await run('restore', ['bin'])).toMatchObject(words('has no manifest.json'));
    expect(calls()).not.toMatch(/up --detach|FLUSHDB/);
  });

  it('starts no service and does not empty Redis when the restore is refused', async () => {
    const lacking = await run('restore', [made], {
      ENCRYPTION_KEYS: `k2:${randomBytes(32).toString('base64')}`,
    });
    expect(lacking).toMatchObject(words('NOT RESTORED'));
    expect(calls()).not.toContain('FLUSHDB');
  });

  it('starts the servers, restores, empties Redis, and prints the next step', async () => {
    const { code, stdout, stderr } = await run('restore', [
      'made',
      '--ignore-keys',
      '--webhooks-within',
      '5',
    ]);
    expect([code, stderr]).toEqual([0, expect.stringContaining('Next: docker compose up')]);
    expect(stdout).toContain('The ledger is consistent.');
    for (const server of ['postgres', 'store', 'redis'])
      expect(calls()).toContain(`compose up --detach --wait --no-deps ${server}`);
    expect(calls()).toContain('compose exec -T redis redis-cli FLUSHDB');
  });

  it('says that an external Redis must be emptied, and refuses a database that is not empty', async () => {
    const again = await run('restore', ['made', '--ignore-keys'], { SERVERS: 'postgres' });
    expect(again).toMatchObject(words('the database is not empty'));
    expect(again.stderr).toContain('compose does not run redis');
  });
});
