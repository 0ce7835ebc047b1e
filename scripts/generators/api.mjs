import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { endpoints } from '../../services/api-gateway/src/app.ts';
import { createApiDocument } from '../../services/api-gateway/src/openapi/document.ts';
import { scopeOf } from '../../services/api-gateway/src/openapi/operations.ts';
import { root } from '../child.mjs';

const document = createApiDocument(endpoints);
writeFileSync(path.join(root, 'docs/openapi.json'), `${JSON.stringify(document, null, 2)}\n`);

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

const page = path.join(root, 'docs/api.md');
const [before, , after] = readFileSync(page, 'utf8').split(/<!-- (?:endpoints|end of endpoints) -->/);
writeFileSync(
  page,
  `${before}<!-- endpoints -->\n\n${sections.join('\n\n')}\n\n<!-- end of endpoints -->${after}`,
);
