// Lays the tree out for the images, so that each is built from what it needs and from nothing else:
//   <out>/manifests       what pnpm installs from, the same for all
//   <out>/<image>         the sources of one image; unchanged bytes keep its layers
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What the documentation is made of, besides the package that builds it. */
const documents = [
  ...['python', 'react', 'typescript'].map((name) => `sdk/${name}/README.md`),
  ...'docs deploy/helm packages/providers/src README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md'.split(' '),
];

/** image -> the packages it runs, and what it reads besides sources. */
const images = {
  'api-gateway': { owners: ['@holdfast/api-gateway'] },
  dispatcher: { owners: ['@holdfast/dispatcher'] },
  ledger: { owners: ['@holdfast/ledger'] },
  'webhook-sender': { owners: ['@holdfast/webhook-sender'] },
  sandbox: { owners: ['@holdfast/sandbox'] },
  migrate: {
    owners: ['@holdfast/setup', '@holdfast/cli'],
    besides: ['models', 'prisma/schema.prisma', 'prisma/migrations'],
  },
  docs: { owners: ['@holdfast/docs'], besides: ['packages/docs/package.json', ...documents] },
};

const [tree = '.', out = '/out'] = process.argv.slice(2);

// The console is a workspace of its own, which an image of its own builds.
const consoleFolder = 'packages/console';
const folders = ['packages', 'services']
  .flatMap((group) => readdirSync(path.join(tree, group)).map((name) => `${group}/${name}`))
  .filter((folder) => folder !== consoleFolder)
  .concat('sdk/typescript');
const workspace = new Map(
  folders.map((folder) => {
    const manifest = JSON.parse(readFileSync(path.join(tree, folder, 'package.json'), 'utf8'));
    return [manifest.name, { folder, needs: Object.keys(manifest.dependencies ?? {}) }];
  }),
);

/** The folders of packages and of every package of the tree they need at run time. */
function closureOf(names, found = new Set()) {
  for (const name of names) {
    const member = workspace.get(name);
    if (!member || found.has(member.folder)) continue;
    found.add(member.folder);
    closureOf(member.needs, found);
  }
  return found;
}

const isForTests = (file) => /\.test\.ts$|[\\/](testing|conformance)$/.test(file);

function copy(file, to) {
  const filter = (source) => !isForTests(source);
  cpSync(path.join(tree, file), path.join(out, to, file), { recursive: true, filter });
}

for (const file of ['package.json', '.pnpmfile.cjs', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'])
  copy(file, 'manifests');
for (const folder of [...folders, 'prisma']) copy(`${folder}/package.json`, 'manifests');
copy('prisma/schema.prisma', 'schema');
cpSync(path.join(tree, consoleFolder), path.join(out, 'console'), {
  recursive: true,
  filter: (source) => !/[\\/](node_modules|dist[^\\/]*)$/.test(source),
});
// It shares files of the domain, and finds them beside its own folder.
const consoleSources = readdirSync(path.join(tree, consoleFolder, 'src'), { recursive: true })
  .filter((file) => /\.(tsx?|css)$/.test(file))
  .map((file) => readFileSync(path.join(tree, consoleFolder, 'src', file), 'utf8'));
const shared = consoleSources.join('\n').matchAll(/\bdomain\/src\/(\w+\.ts|brand\/[\w.]+)\b/g);
for (const file of new Set([...shared].map(([name]) => `packages/${name}`))) copy(file, 'console-shared');
for (const [image, { owners, besides = [] }] of Object.entries(images)) {
  for (const folder of closureOf(owners)) copy(`${folder}/src`, image);
  for (const file of besides) copy(file, image);
}
const { packageManager } = JSON.parse(readFileSync(path.join(tree, 'package.json'), 'utf8'));
writeFileSync(path.join(out, 'package-manager'), packageManager);
