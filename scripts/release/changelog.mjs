import { UserError } from '../child.mjs';

const unreleased = '## [Unreleased]\n';

/** The text below a heading, up to the next heading of a version. */
function textBelow(changelog, heading) {
  const at = changelog.indexOf(heading);
  if (at < 0) return undefined;
  const [text] = changelog.slice(at + heading.length).split(/^## /m);
  return text.trim();
}

/** Turns `Unreleased` into the section of a version. @throws UserError when nothing is in it */
export function withRelease(changelog, version, date) {
  const changes = textBelow(changelog, unreleased);
  if (changes === undefined) throw new UserError('CHANGELOG.md has no section `## [Unreleased]`.');
  if (!/^- \S/m.test(changes)) throw new UserError('CHANGELOG.md has no change under `## [Unreleased]`.');
  return changelog.replace(unreleased, `${unreleased}\n## [${version}] - ${date}\n`);
}

/** The changes of a version, without its heading. @throws UserError when it has no section */
export function notesOf(changelog, version) {
  const heading = changelog.split(/^(?=## )/m).find((section) => section.startsWith(`## [${version}]`));
  const notes = heading?.slice(heading.indexOf('\n')).trim();
  if (!notes) throw new UserError(`CHANGELOG.md has no section of ${version}.`);
  return notes;
}
