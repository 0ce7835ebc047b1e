import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root, UserError } from './child.mjs';
import { withRelease } from './release/changelog.mjs';
import { git, outputOf } from './release/command.mjs';
import { currentVersion, isNewer, setVersion } from './release/manifests.mjs';
import { packable, packedByDefault, packRelease } from './release/packages.mjs';
import { releaseSdks } from './sdk.mjs';

const usage = `Usage:
  npm run release -- 1.2.3                     set the version, close the changelog's section, commit and tag; publishes nothing
  npm run release -- 1.2.3 --dry-run FOLDER    do it in a clone, and leave the packages in FOLDER
  npm run release -- 1.2.3 --sdk               only set the version of the npm packages in sdk, pack and check them, and write
                                               their references
  npm run release -- --pack FOLDER             make the packages of the present version
      --only chart,compose                     only these of ${packable.join(', ')}; default: all but images
      --images PREFIX                          the prefix of the published images, such as ghcr.io/OWNER/holdfast
      --source URL                             the repository, for the chart`;

const changelogFile = path.join(root, 'CHANGELOG.md');
const tagOf = (version) => `v${version}`;
const subjectOf = (version) => `chore(release): prepare ${version}`;
const hasTag = (version) => git(['tag', '--list', tagOf(version)]) !== '';

function tag(version) {
  git(['tag', '--annotate', tagOf(version), '--message', `Holdfast ${version}`]);
  console.log(`Tagged ${tagOf(version)}. To publish it: git push --follow-tags`);
}

/** The changelog with the section of the version. @throws UserError when this version cannot be released */
function checkedChangelog(version) {
  const changes = git(['status', '--porcelain']);
  if (changes !== '')
    throw new UserError(`The tree has changes: commit them or \`git restore .\`\n${changes}`);
  const isPresent = version === currentVersion() && !hasTag(version);
  if (!isPresent && !isNewer(version, currentVersion()))
    throw new UserError(`${version} is not newer than ${currentVersion()}, the version in package.json.`);
  if (hasTag(version)) throw new UserError(`The tag ${tagOf(version)} exists.`);
  return withRelease(readFileSync(changelogFile, 'utf8'), version, new Date().toISOString().slice(0, 10));
}

/** Prepares a release in this tree. A run that ended before the tag is completed by the same command. */
function prepare(version) {
  const isCommitted =
    version === currentVersion() && git(['log', '-1', '--format=%s']) === subjectOf(version);
  if (isCommitted && !hasTag(version)) return tag(version);
  const changelog = checkedChangelog(version);
  const files = setVersion(version);
  writeFileSync(changelogFile, changelog);
  git(['commit', '--quiet', '--message', subjectOf(version), '--', 'CHANGELOG.md', ...files]);
  console.log(`Set version ${version} in ${files.length} files, and closed its section of CHANGELOG.md.`);
  tag(version);
}

/** Reports what is missing; returns the exit code. */
function reportMissing(missing, folder) {
  for (const one of missing) console.error(`not made: ${one}`);
  console.log(`The packages are in ${folder}.`);
  return missing.length === 0 ? 0 : 1;
}

/** Releases in a clone of HEAD, so that this tree stays as it is. What this machine cannot make is only reported. */
function rehearse(version, folder) {
  checkedChangelog(version);
  const scratch = mkdtempSync(path.join(tmpdir(), 'holdfast-dry-run-'));
  const clone = path.join(scratch, 'holdfast');
  const env = Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((who) => [
      [`GIT_${who}_NAME`, 'dry run'],
      [`GIT_${who}_EMAIL`, 'dry-run@invalid'],
    ]),
  );
  const inClone = (...args) =>
    outputOf(process.execPath, ['scripts/run.mjs', 'release', ...args], {
      cwd: clone,
      env,
      stdio: 'inherit',
    });
  try {
    git(['clone', '--quiet', '--shared', root, clone]);
    inClone(version);
    inClone('--pack', folder, '--only', packable.join(), '--allow-missing');
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return 0;
}

const options = {
  'dry-run': { type: 'string' },
  pack: { type: 'string' },
  images: { type: 'string', default: 'holdfast' },
  source: { type: 'string' },
  only: { type: 'string', default: packedByDefault.join() },
  'allow-missing': { type: 'boolean', default: false },
  sdk: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
};

function parsed(args) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UserError(`${error.message}\n${usage}`);
  }
}

/** `npm run release`: prepares a version, rehearses that, or packs the present one. */
export async function release(args) {
  const { values, positionals } = parsed(args);
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const [version, ...rest] = positionals;
  const { pack, 'dry-run': dryRun, images: prefix } = values;
  if (rest.length > 0 || (version === undefined) === (pack === undefined)) throw new UserError(usage);
  if (pack !== undefined) {
    const only = values.only.split(',');
    const unknown = only.filter((name) => !packable.includes(name));
    if (unknown.length > 0) throw new UserError(`There is no ${unknown.join(', ')} to pack.\n${usage}`);
    const missing = packRelease(pack, { prefix, source: values.source, only });
    const code = reportMissing(missing, pack);
    return values['allow-missing'] ? 0 : code;
  }
  if (values.sdk) {
    await releaseSdks(version);
    return 0;
  }
  if (dryRun !== undefined) return rehearse(version, path.resolve(dryRun));
  prepare(version);
  return 0;
}
