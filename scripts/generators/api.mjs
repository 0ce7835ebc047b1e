import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { endpoints } from '../../services/api-gateway/src/app.ts';
import { falFace } from '../../services/api-gateway/src/faces/fal/face.ts';
import { openaiFace } from '../../services/api-gateway/src/faces/openai/face.ts';
import { replicateFace } from '../../services/api-gateway/src/faces/replicate/face.ts';
import { createApiDocument } from '../../services/api-gateway/src/pages/openapi/document.ts';
import { errorTable } from '../../services/api-gateway/src/pages/openapi/errorTable.ts';
import { scopeOf } from '../../services/api-gateway/src/pages/openapi/operations.ts';
import { root, runNode } from '../child.mjs';

const document = createApiDocument(endpoints);
writeFileSync(path.join(root, 'docs/openapi.json'), JSON.stringify(document));
await runNode(['node_modules/@biomejs/biome/bin/biome', 'format', '--write', 'docs/openapi.json'], {
  onOutput() {},
});

const operations = Object.entries(document.paths).flatMap(([at, item]) =>
  Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), at, ...operation })),
);

function rowOf({ method, at, summary, ...operation }) {
  const scope = scopeOf(operation);
  return `| ${method} | \`${at}\` | ${summary} | ${scope ? `\`${scope}\`` : ''} |`;
}

const head = '| Method | Path | | Scope |\n| --- | --- | --- | --- |';
const sections = [...Map.groupBy(operations, ({ tags }) => tags[0])].map(
  ([tag, some]) => `## ${tag}\n\n${head}\n${some.map(rowOf).join('\n')}`,
);

/** Writes the part of a page between the comments of this name. */
function writePart(file, name, text) {
  const page = path.join(root, file);
  const [before, , after] = readFileSync(page, 'utf8').split(new RegExp(`<!-- (?:end of )?${name} -->`));
  writeFileSync(page, `${before}<!-- ${name} -->\n\n${text}\n\n<!-- end of ${name} -->${after}`);
}

writePart('docs/api.md', 'endpoints', sections.join('\n\n'));

/** The clients of Replicate for Python add `/v1` to every path. */
const isOwn = ({ path: at }) => !at.startsWith('/v1/replicate/v1/');
const compatible = [openaiFace, replicateFace, falFace].map(({ prefix, endpoints: some }) => {
  const rows = some
    .filter(isOwn)
    .map(({ method, path: at, summary }) => `| ${method} | \`${at.replace(prefix, '')}\` | ${summary} |`);
  return [`## Endpoints below ${prefix}`, '', '| Method | Path | |', '| --- | --- | --- |', ...rows].join(
    '\n',
  );
});
writePart('docs/compatible.md', 'endpoints', compatible.join('\n\n'));

const codes = errorTable.map(
  ({ status, code, retryable, advice }) =>
    `| ${status} | \`${code}\` | ${retryable ? 'yes' : 'no'} | ${advice} |`,
);
writePart(
  'docs/errors.md',
  'codes',
  ['| Status | Code | Retry | What to do |', '| --- | --- | --- | --- |', ...codes].join('\n'),
);
