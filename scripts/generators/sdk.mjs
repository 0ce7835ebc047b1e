// Writes the types of the TypeScript SDK and of the console from the OpenAPI documents.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { root, runNode } from '../child.mjs';
import { ensureSdkTools, sdkTool } from '../sdkTools.mjs';

const types = [
  ['docs/openapi.json', 'sdk/typescript/src/generated/api.ts'],
  ['docs/admin-openapi.json', 'packages/console/src/generated/api.ts'],
];

await ensureSdkTools();
for (const [document, file] of types) {
  mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
  let output = '';
  const code = await runNode(
    [
      sdkTool('openapi-typescript/bin/cli.js'),
      document,
      `--output=${file}`,
      // A field with a default may be omitted from a request.
      '--default-non-nullable=false',
    ],
    { onOutput: (text) => void (output += text) },
  );
  if (code === 0) continue;
  console.error(output);
  process.exitCode = code;
  break;
}
