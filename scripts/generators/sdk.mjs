// Writes the types of the TypeScript SDK from docs/openapi.json.
import { runNode } from '../child.mjs';
import { ensureSdkTools, sdkTool } from '../sdkTools.mjs';

await ensureSdkTools();
let output = '';
process.exitCode = await runNode(
  [
    sdkTool('openapi-typescript/bin/cli.js'),
    'docs/openapi.json',
    '--output=sdk/typescript/src/generated/api.ts',
    // A field with a default may be omitted from a request.
    '--default-non-nullable=false',
  ],
  { onOutput: (text) => void (output += text) },
);
if (process.exitCode !== 0) console.error(output);
