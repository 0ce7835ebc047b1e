// Writes the types of the TypeScript SDK and of the console, and the examples of events: the schemas of the OpenAPI documents.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { adminEndpoints, signInEndpoints } from '../../services/api-gateway/src/adminApp.ts';
import { endpoints } from '../../services/api-gateway/src/app.ts';
import { createAdminDocument } from '../../services/api-gateway/src/pages/openapi/adminDocument.ts';
import { createApiDocument } from '../../services/api-gateway/src/pages/openapi/document.ts';
import { root } from '../child.mjs';
import { ensureSdkTools, sdkTool } from '../sdkTools.mjs';

await ensureSdkTools();
const { default: typesOf, astToString } = await import(
  path.join(root, sdkTool('openapi-typescript/dist/index.mjs'))
);

async function writeTypes(file, { openapi, info, components: { schemas } }) {
  const document = { openapi, info, paths: {}, components: { schemas } };
  // A field with a default may be omitted from a request.
  const types = astToString(await typesOf(document, { defaultNonNullable: false }));
  mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
  writeFileSync(
    path.join(root, file),
    `/** Written by scripts/generators/sdk.mjs: do not edit. */\n\n${types}`,
  );
}

const api = createApiDocument(endpoints);
await writeTypes('sdk/typescript/src/generated/api.ts', api);
await writeTypes(
  'packages/console/src/generated/api.ts',
  createAdminDocument([...adminEndpoints, ...signInEndpoints]),
);

// The portal shows them.
const examples = Object.values(api.components.schemas).flatMap(({ example }) =>
  example?.event_type ? [[example.type, example]] : [],
);
writeFileSync(
  path.join(root, 'packages/console/src/generated/events.json'),
  `${JSON.stringify(Object.fromEntries(examples))}\n`,
);
