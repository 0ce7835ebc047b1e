import type { Schemas } from './api.ts';

type Whole = Schemas['ExecutionWithAttempts'];

/** The request that creates the same execution, with a key of the reader's. */
export function snippets({ model, input }: Pick<Whole, 'model' | 'input'>): Record<string, string> {
  const body = JSON.stringify({ model, input }, null, 2);
  const quoted = body.replaceAll("'", "'\\''");
  return {
    curl: `curl -sS "$HOLDFAST_URL/v1/executions" \\
  -H "Authorization: Bearer $HOLDFAST_API_KEY" -H 'Content-Type: application/json' \\
  -H "Idempotency-Key: $(uuidgen)" -d '${quoted}'
`,
    TypeScript: `import { Holdfast } from '@holdfast/sdk';

const holdfast = new Holdfast();
const execution = await holdfast.run(${JSON.stringify(model)}, ${JSON.stringify(input, null, 2)});
console.log(execution);
`,
    Python: `import json
from holdfast import Holdfast

client = Holdfast()
execution = client.run(${JSON.stringify(model)}, json.loads(${JSON.stringify(JSON.stringify(input))}))
print(execution)
`,
  };
}
