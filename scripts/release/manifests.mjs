import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root, UserError } from '../child.mjs';

const inJson = /(?<="version": ")[^"]+/;
const inCode = /(?<=\bversion = ')[^']+/;

/** Every file with the version of the project, and where: the first match, or all of them with the flag `g`. */
const places = {
  'package.json': inJson,
  'sdk/typescript/package.json': inJson,
  'sdk/react/package.json': inJson,
  'sdk/typescript/src/config.ts': inCode,
  'sdk/python/pyproject.toml': /(?<=^version = ")[^"]+/m,
  'services/api-gateway/src/pages/openapi/overview.ts': inCode,
  // Generated from the line before; `npm run verify` compares them.
  'docs/openapi.json': inJson,
  'deploy/helm/holdfast/Chart.yaml': /(?<=^(?:version|appVersion): )\S+/gm,
  'docker-compose.yml': /(?<=\$\{HOLDFAST_VERSION:-)[^}]+/g,
  '.env.example': /(?<=^#HOLDFAST_VERSION=)\S+/m,
};

const semantic = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9a-z]+(?:\.[0-9a-z]+)*))?$/;

/** The parts of a version that its order depends on. @throws UserError when it is not a semantic version */
function partsOf(version) {
  const [whole, major, minor, patch, before] = semantic.exec(version ?? '') ?? [];
  if (!whole)
    throw new UserError(`"${version}" is not a version: write 1.2.3, or 1.2.3-rc.1 for a pre-release.`);
  const identifiers = before?.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  return { numbers: [major, minor, patch].map(Number), identifiers };
}

function orderOf(one, other) {
  if (one === other) return 0;
  if (typeof one !== typeof other) return typeof one === 'number' ? -1 : 1;
  return one < other ? -1 : 1;
}

function orderOfLists(ones, others) {
  for (let at = 0; at < Math.max(ones.length, others.length); at++) {
    if (ones[at] === undefined || others[at] === undefined) return ones[at] === undefined ? -1 : 1;
    const order = orderOf(ones[at], others[at]);
    if (order !== 0) return order;
  }
  return 0;
}

/** Whether a version follows another one by the order of Semantic Versioning. */
export function isNewer(version, than) {
  const [one, other] = [partsOf(version), partsOf(than)];
  const order = orderOfLists(one.numbers, other.numbers);
  if (order !== 0) return order > 0;
  // A pre-release comes before its release.
  if (!one.identifiers || !other.identifiers) return !one.identifiers && other.identifiers !== undefined;
  return orderOfLists(one.identifiers, other.identifiers) > 0;
}

const textOf = (file) => readFileSync(path.join(root, file), 'utf8');

/** The version of the project. */
export const currentVersion = () => JSON.parse(textOf('package.json')).version;

/** Sets the version everywhere. @throws UserError, before it writes anything, when a file lacks the present version */
export function setVersion(version) {
  const present = currentVersion();
  const changed = Object.entries(places).map(([file, pattern]) => {
    const text = textOf(file);
    const found = text.match(pattern) ?? [];
    if (found.length === 0 || found.some((one) => one !== present))
      throw new UserError(`${file} has not version ${present}, as package.json has.`);
    return [file, text.replace(pattern, version)];
  });
  for (const [file, text] of changed) writeFileSync(path.join(root, file), text);
  return Object.keys(places);
}
