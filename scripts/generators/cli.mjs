import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { commands } from '../../packages/cli/src/commands.ts';
import { commonFlags, exitCodesText } from '../../packages/cli/src/help.ts';
import { root } from '../child.mjs';

const fenced = (text) => `\`\`\`\n${text}\n\`\`\``;

/** Keeps placeholders from being read as HTML tags. */
const escaped = (text) => text.replaceAll('<', '\\<');

function sectionOf({ name, about, usage, examples }) {
  const parts = [`### ${name}`, fenced(usage), escaped(about)];
  return [...parts, ...(examples ? ['For example:', fenced(examples)] : [])].join('\n\n');
}

const groups = [...Map.groupBy(commands, ({ name }) => name.split(' ')[0])];
const contents = groups.map(([group]) => `[${group}](#${group}-commands)`).join(', ');
const sections = groups.map(([group, some]) => `## ${group} commands\n\n${some.map(sectionOf).join('\n\n')}`);
const flags = commonFlags.map(([flag, about]) => `| \`${flag}\` | ${about} |`);

const page = `# The command holdfast

<!-- Written by scripts/generators/cli.mjs from packages/cli/src/commands.ts: do not edit. -->

The operator's commands for a running Holdfast: ${contents}.

\`\`\`sh
npm run --silent holdfast -- doctor          # for the npm start of this folder
docker compose run --rm holdfast doctor      # with Docker
\`\`\`

The command finds the database, Redis and the admin API in the files of \`npm start\` (\`HOLDFAST_HOME\`, else \`.holdfast\`), in the
environment (\`DATABASE_URL\`, \`REDIS_URL\`, \`HOLDFAST_ADMIN_URL\` with \`ADMIN_TOKEN\`), or in flags, which take precedence. With another
database than that of \`npm start\`, Redis and the admin API must be named too.

| Flag | Meaning |
| --- | --- |
${flags.join('\n')}

On a terminal, tables fit its width: the widest columns are cut, and ids are printed on separate lines if there is no room for them.
In a pipe or in CI, rows are complete. \`--json\` prints one document with the keys of the API (with \`executions tail\`, one line for
each change, and with \`run --stream\` for each event). Results go to stdout, progress and errors to stderr. ${exitCodesText}

${sections.join('\n\n')}
`;

writeFileSync(path.join(root, 'docs/cli.md'), page);
