import { createHash } from 'node:crypto';
import { type Lockfile, packageOf } from './lockfile.ts';

/** Folders of the lockfile whose dependencies run in production; the rest is for building and testing. */
const shipped = /^(services\/|packages\/(?!testkit$))/;

/**
 * A bill of materials of everything that the lockfile names: CycloneDX 1.6. The same lockfile and licences give the same
 * bytes. What is only used for tests and development has the scope `excluded`. `licences`: by `name@version`; a package
 * without one is of unknown licence.
 */
export function sbomOf(
  lock: Lockfile,
  lockText: string,
  version: string,
  licences: ReadonlyMap<string, string>,
) {
  const graph = graphOf(lock);
  const required = reachable(rootsOf(lock), graph);
  const names = Object.keys(lock.packages).toSorted();
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(lockText)}`,
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': 'holdfast',
        name: 'holdfast',
        version,
        licenses: [{ license: { id: 'Apache-2.0' } }],
      },
    },
    components: names.map((name) => componentOf(name, lock, required.has(name), licences.get(name))),
    dependencies: [
      { ref: 'holdfast', dependsOn: rootsOf(lock).map(purlOf).toSorted() },
      ...names.map((name) => ({
        ref: purlOf(name),
        dependsOn: [...(graph.get(name) ?? [])].map(purlOf).toSorted(),
      })),
    ],
  };
}

function componentOf(id: string, { packages }: Lockfile, isRequired: boolean, licence: string | undefined) {
  const { group, name, version } = partsOf(id);
  const [algorithm, digest] = packages[id]?.resolution.integrity?.split('-') ?? [];
  const content = Buffer.from(digest ?? '', 'base64').toString('hex');
  return {
    type: 'library',
    'bom-ref': purlOf(id),
    ...(group && { group }),
    name,
    version,
    scope: isRequired ? 'required' : 'excluded',
    ...(algorithm === 'sha512' && { hashes: [{ alg: 'SHA-512', content }] }),
    ...(licence !== undefined && { licenses: [licenceOf(licence)] }),
    purl: purlOf(id),
  };
}

/** One of the SPDX list by its id, several as an expression, anything else by its name. */
function licenceOf(text: string) {
  if (/^[\w.+-]+$/.test(text) && text !== 'UNLICENSED') return { license: { id: text } };
  const isExpression = /^\(?[\w.+-]+( (AND|OR|WITH) [\w.+-]+)+\)?$/i.test(text);
  return isExpression
    ? { expression: text.replaceAll(/ (and|or|with) /g, (word) => word.toUpperCase()) }
    : { license: { name: text } };
}

/** `@scope/name@1.2.3` */
function partsOf(id: string) {
  const at = id.lastIndexOf('@');
  const [name = '', group] = id.slice(0, at).split('/').toReversed();
  return { group, name, version: id.slice(at + 1) };
}

function purlOf(id: string): string {
  const { group, name, version } = partsOf(id);
  return `pkg:npm/${group ? `${group.replace('@', '%40')}/` : ''}${name}@${version}`;
}

/** What each package asks for, without regard to peers. */
function graphOf({ snapshots, packages }: Lockfile): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const [snapshot, { dependencies, optionalDependencies }] of Object.entries(snapshots)) {
    const id = packageOf(snapshot);
    const asked = graph.get(id) ?? new Set();
    for (const one of idsOf({ ...dependencies, ...optionalDependencies }, packages)) asked.add(one);
    graph.set(id, asked);
  }
  return graph;
}

/** Of names and versions as the lockfile links them; an alias stands there as `name@version`. Other folders are left out. */
function idsOf(links: Record<string, string>, packages: Lockfile['packages']): string[] {
  return Object.entries(links)
    .flatMap(([name, version]) => [packageOf(`${name}@${version}`), packageOf(version)])
    .filter((id) => Object.hasOwn(packages, id));
}

function rootsOf({ importers, packages }: Lockfile): string[] {
  const found = Object.entries(importers)
    .filter(([folder]) => shipped.test(folder))
    .flatMap(([, { dependencies, optionalDependencies }]) =>
      Object.entries({ ...dependencies, ...optionalDependencies }).map(([name, { version }]) => [
        name,
        version,
      ]),
    );
  return [...new Set(found.flatMap(([name = '', version = '']) => idsOf({ [name]: version }, packages)))];
}

function reachable(roots: string[], graph: Map<string, Set<string>>): Set<string> {
  const seen = new Set(roots);
  for (const id of seen) for (const next of graph.get(id) ?? []) seen.add(next);
  return seen;
}

/** A UUID (version 8) of a text. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
