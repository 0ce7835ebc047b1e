import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { batchEventTypes, endpointEventTypes, eventTypes } from '../../packages/domain/src/events.ts';
import { allowedFor, consoleMayImport, floors, goesDown } from './importDirection.ts';
import { readSourceFacts } from './sourceFacts.ts';
import { readSourceFiles, type SourceFile, targetOf } from './sourceFiles.ts';

const root = resolve(import.meta.dirname, '../..');
const files = readSourceFiles(root);
const services = new Set(readdirSync(resolve(root, 'services')));

const manifests = new Map<string, string[]>();

function dependenciesOf(owner: string): string[] {
  const known = manifests.get(owner);
  if (known) return known;
  const { name, dependencies } = JSON.parse(readFileSync(resolve(root, owner, 'package.json'), 'utf8'));
  const declared = [name, ...Object.keys({ ...dependencies })];
  manifests.set(owner, declared);
  return declared;
}

const paths = (breaking: (file: SourceFile) => boolean) => files.filter(breaking).map(({ path }) => path);
const imports = (name: string) => (file: SourceFile) =>
  file.imports.some((specifier) => specifier === name || specifier.startsWith(`${name}/`));

function crossings(file: SourceFile): string[] {
  const allowed = allowedFor(file.owner);
  return file.imports.flatMap((specifier) => {
    const target = targetOf(file.path, specifier, services);
    if (target === undefined || target === file.owner) return [];
    // The bench is a folder of programs, no package with a name. The console is a workspace of its own and the scripts are in none, so without those names.
    const named =
      !['bench', 'scripts'].includes(target) && !['packages/console', 'scripts'].includes(file.owner);
    const outside = specifier.startsWith('.') && named;
    const free = allowed === 'anything' || (file.isTest && !target.startsWith('services/'));
    return !outside && (free || allowed.includes(target)) ? [] : [`${file.path} imports ${specifier}`];
  });
}

const consoleFolder = 'packages/console/src/';

const consoleTargets = ({ path, imports: specifiers }: SourceFile) =>
  specifiers
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => normalize(join(dirname(path), specifier)))
    .filter((target) => target.startsWith(consoleFolder));

function consoleCrossings(file: SourceFile): string[] {
  const { path } = file;
  const inside = (one: string) => one.slice(consoleFolder.length);
  return consoleTargets(file)
    .filter((target) => !consoleMayImport(inside(path), inside(target)))
    .map((target) => `${path} imports ${target}`);
}

/** From which file to which, below `src`. The imports of tests do not count. */
function importsWithin(src: string): [from: string, target: string][] {
  return files
    .filter(({ path, isTest }) => path.startsWith(`${src}/`) && !isTest)
    .flatMap(({ path, imports: specifiers }) => {
      const own = specifiers.filter((specifier) => specifier.startsWith('.'));
      const targets = own.map((specifier) => relative(src, join(dirname(path), specifier)));
      return targets.map((target): [string, string] => [relative(src, path), target]);
    });
}

describe('the source tree', () => {
  it('has imports that point one way, and never by a path into another package', () => {
    expect(files.length).toBeGreaterThan(10);
    expect(files.flatMap(crossings)).toEqual([]);
  });

  it('has floors in the console: ui imports no feature and no page, and a feature no page', () => {
    const ofConsole = files.filter(({ path }) => path.startsWith(consoleFolder));
    expect(ofConsole.length).toBeGreaterThan(10);
    expect(ofConsole.flatMap(consoleCrossings)).toEqual([]);
    expect(consoleMayImport('ui/card.tsx', 'features/search/search.ts')).toBe(false);
    expect(consoleMayImport('features/keys/keys.tsx', 'pages/Queues.tsx')).toBe(false);
  });

  it('shows in the portal only texts that each language has', () => {
    const reached = new Set([`${consoleFolder}portal/pages.tsx`]);
    for (const path of reached)
      for (const file of files.filter((one) => one.path === path))
        for (const target of consoleTargets(file)) reached.add(target);
    expect(reached).toContain(`${consoleFolder}features/batches/page.tsx`);
    expect(reached).not.toContain(`${consoleFolder}strings.ts`);
  });

  it.each(Object.entries(floors))('has imports within %s that only go down, types included', (src, known) => {
    const within = importsWithin(src);
    expect(within.length).toBeGreaterThan(10);
    const upward = within.filter(([from, target]) => !goesDown(from, target, known));
    const where = 'on no floor below it in scripts/fences/importDirection.ts';
    expect(upward.map(([from, target]) => `${from} imports ${target}, ${where}`)).toEqual([]);
  });

  it.each(Object.keys(floors))('has no two folders in %s that import each other', (src) => {
    const pairs = importsWithin(src)
      .map((ends) => ends.map((path) => dirname(path)).join(' and '))
      .filter((pair) => new Set(pair.split(' and ')).size === 2);
    const known = new Set(pairs);
    expect([...known].filter((pair) => known.has(pair.split(' and ').toReversed().join(' and ')))).toEqual(
      [],
    );
  });

  it('has a README in each service and package', () => {
    const owners = new Set(
      files.map(({ owner }) => owner).filter((owner) => /^(packages|services)\//.test(owner)),
    );
    expect(owners.size).toBeGreaterThan(10);
    expect([...owners].filter((owner) => !existsSync(resolve(root, owner, 'README.md')))).toEqual([]);
  });

  it('imports only packages of the tree that its own package declares: an installation has no others', () => {
    const undeclared = files
      .filter(
        ({ path, owner, isTest }) =>
          /^(packages|services)\//.test(path) &&
          !isTest &&
          !['packages/testkit', 'packages/console'].includes(owner),
      )
      .flatMap(({ path, owner, imports: specifiers }) => {
        const declared = dependenciesOf(owner);
        const names = specifiers.flatMap((specifier) => /^@holdfast\/[^/]+/.exec(specifier) ?? []);
        return names.filter((name) => !declared.includes(name)).map((name) => `${path} imports ${name}`);
      });
    expect(undeclared).toEqual([]);
  });

  it('imports bullmq only in packages/queues', () => {
    expect(paths((file) => imports('bullmq')(file) && file.owner !== 'packages/queues')).toEqual([]);
  });

  it.each(['got', 'undici'])('imports %s only in packages/egress', (name) => {
    expect(paths((file) => imports(name)(file) && file.owner !== 'packages/egress')).toEqual([]);
  });

  it('imports only types of node:http where services load it: kit/http.ts has the module', () => {
    const programs = [
      'packages/cli',
      'packages/docs',
      'packages/local',
      'packages/setup',
      'packages/testkit',
    ];
    const isLoaded = ({ owner, isTest }: SourceFile) =>
      /^(packages|services)\//.test(owner) && !programs.includes(owner) && !isTest;
    expect(paths((file) => file.loadsHttp && isLoaded(file))).toEqual([]);
  });

  it('imports acceptance suites from no other folder', () => {
    const intoSuites = (file: SourceFile) =>
      file.owner !== 'acceptance' && file.imports.some((specifier) => /(^|\/)acceptance\//.test(specifier));
    expect(paths(intoSuites)).toEqual([]);
  });

  it('has raw SQL only in packages/db (and in tests, testkit, acceptance and bench)', () => {
    const mayLook = ['packages/db', 'packages/testkit', 'acceptance', 'bench', 'scripts'];
    expect(paths((file) => file.speaksSql && !file.isTest && !mayLook.includes(file.owner))).toEqual([]);
  });

  it('reads process.env only in config.ts files, the launcher, testkit, acceptance suites and bench', () => {
    const free = ['packages/local', 'packages/testkit', 'acceptance', 'bench', 'scripts'];
    const mayRead = (file: SourceFile) =>
      file.isTest || free.includes(file.owner) || /(^|\/)config\.ts$/.test(file.path);
    expect(paths((file) => file.readsEnvironment && !mayRead(file))).toEqual([]);
  });

  it('has no console.log in services', () => {
    expect(paths((file) => file.logsToConsole && file.owner.startsWith('services/'))).toEqual([]);
  });
});

describe('a type of event', () => {
  it.each([
    'sdk/typescript/src/webhookEvents.ts',
    'sdk/python/src/holdfast/webhooks.py',
    'packages/console/src/features/webhooks/webhooks.ts',
    'docs/webhooks.md',
  ])('is named in %s', (path) => {
    const text = readFileSync(resolve(root, path), 'utf8');
    const types = [...eventTypes, ...endpointEventTypes, ...batchEventTypes];
    const missing = types.filter((type) => !new RegExp(`['"\`]${type}['"\`]`).test(text));
    expect(missing.map((type) => `${path} does not name ${type}`)).toEqual([]);
  });
});

describe('an operation of the API', () => {
  it('has what the samples of its reference need, make and print, in acceptance/clients/docs/operations.ts', () => {
    const path = 'acceptance/clients/docs/operations.ts';
    const text = readFileSync(resolve(root, path), 'utf8');
    const { paths: documented } = JSON.parse(readFileSync(resolve(root, 'docs/openapi.json'), 'utf8')) as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    const names = Object.values(documented).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    );
    expect(names).toContain('createExecution');
    const missing = names.filter((name) => !new RegExp(`^  ${name}: `, 'm').test(text));
    expect(missing.map((name) => `${path} has no line ${name}`)).toEqual([]);
  });
});

describe('the floors of a service', () => {
  const known = ['http', 'api', 'admin', 'admin/endpoints', '.'];

  it.each([
    ['api/files/getFile.ts', 'http/endpoint.ts', true],
    ['admin/endpoints/postFile.ts', 'admin/organizations.ts', true],
    ['api/events/getEvent.ts', 'api/files/fileRecord.ts', true],
    ['main.ts', 'start.ts', true],
    ['http/endpoint.ts', 'api/files/getFile.ts', false],
    ['http/endpoint.ts', 'context.ts', false],
    ['admin/organizations.ts', 'admin/endpoints/postFile.ts', false],
    ['main.ts', 'unknown/file.ts', false],
    ['unknown/file.ts', 'http/endpoint.ts', false],
  ])('let %s import %s: %s', (from, target, expected) => {
    expect(goesDown(from, target, known)).toBe(expected);
  });
});

describe('the analysis of a source file', () => {
  it('finds every kind of import, and none in comments or strings', () => {
    const text = `
      import a, { type B } from 'one'; import type { C } from 'two'; import 'three';
      export { d } from 'four'; export * from 'five';
      const e = async () => await import('six');
      // import 'comment';
      const f = "import 'text'";`;
    expect(readSourceFacts(text).imports).toEqual(['one', 'two', 'three', 'four', 'five', 'six']);
  });

  it.each([
    ["import { createServer, type Server } from 'node:http'", true],
    ["import http from 'node:http'", true],
    ["const http = await import('node:http')", true],
    ["import type { Server } from 'node:http'", false],
    ["import { type Server, type ServerResponse } from 'node:http'", false],
  ])('knows whether %s loads the module: %s', (text, expected) => {
    expect(readSourceFacts(text).loadsHttp).toBe(expected);
  });

  it.each([
    'prisma.$queryRaw`select 1`',
    'prisma.$executeRawUnsafe(text)',
    'db.pool.query(statement)',
    'pool.query({ text })',
    'anything.query("select 1")',
  ])('recognizes SQL in %s', (text) => {
    expect(readSourceFacts(text).speaksSql).toBe(true);
  });

  it.each(['request.query.limit', 'supertest(app).get("/").query({ limit: 1 })'])(
    'finds no SQL in %s',
    (text) => {
      expect(readSourceFacts(text).speaksSql).toBe(false);
    },
  );

  it.each(['process.env.PORT', "process['env']", 'read(process.env)'])(
    'finds a read of the environment in %s',
    (text) => {
      expect(readSourceFacts(text).readsEnvironment).toBe(true);
    },
  );

  it('finds console.log, but not console.error', () => {
    expect(readSourceFacts('console.log(1)').logsToConsole).toBe(true);
    expect(readSourceFacts('console.error(1)').logsToConsole).toBe(false);
  });
});
