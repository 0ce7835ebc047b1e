import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setupConfig } from '../../packages/setup/src/config.ts';
import { gatewayConfig } from '../../services/api-gateway/src/context/config.ts';
import { dispatcherConfig } from '../../services/dispatcher/src/config.ts';
import { ledgerConfig } from '../../services/ledger/src/config.ts';
import { sandboxConfig } from '../../services/sandbox/src/config.ts';
import { webhookSenderConfig } from '../../services/webhook-sender/src/config.ts';
import { root } from '../child.mjs';

const services = {
  'api-gateway': gatewayConfig,
  dispatcher: dispatcherConfig,
  ledger: ledgerConfig,
  'webhook-sender': webhookSenderConfig,
  sandbox: sandboxConfig,
};

/** The default of a variable as one would write it, or whether it is required. */
function preset(schema) {
  const { def } = schema._zod;
  if (def.type === 'default') return def.defaultValue === '' ? 'empty' : `\`${def.defaultValue}\``;
  if (def.type === 'pipe') return preset(def.in);
  return def.type === 'optional' ? 'unset' : '**required**';
}

function description(schema) {
  const { def } = schema._zod;
  return schema.description ?? (def.innerType ?? def.in)?.description ?? '';
}

/** One row for each variable, shared by the services that read it in the same way. */
function collect(readers) {
  const rows = new Map();
  for (const [service, shape] of Object.entries(readers)) {
    for (const [name, schema] of Object.entries(shape)) {
      const row = { name, preset: preset(schema), description: description(schema) };
      if (row.description === '') throw new Error(`${name} of ${service} has no description`);
      const known = rows.get(JSON.stringify(row)) ?? { ...row, services: [] };
      known.services.push(service);
      rows.set(JSON.stringify(row), known);
    }
  }
  return [...rows.values()];
}

function table(rows) {
  const lines = rows.map(
    (row) => `| \`${row.name}\` | ${row.preset} | ${row.description.replaceAll('|', '\\|')} |`,
  );
  return ['| Variable | Default | Meaning |', '| --- | --- | --- |', ...lines].join('\n');
}

const core = ['api-gateway', 'dispatcher', 'ledger', 'webhook-sender'];

function titleOf({ services: readers }) {
  if (core.every((service) => readers.includes(service))) return 'Every service';
  return new Intl.ListFormat('en', { type: 'conjunction' }).format(readers);
}

const sections = [...Map.groupBy(collect(services), titleOf)];

const page = `# Configuration

<!-- Written by scripts/generators/configuration.mjs from each service's config.ts: do not edit. -->

Environment variables configure the services. A service with invalid settings lists all of them and does not start.
\`npm start\` sets all variables itself. The sandbox uses neither a database nor Redis.

${sections.map(([title, some]) => `## ${title}\n\n${table(some)}`).join('\n\n')}

## Providers

The dispatcher reaches a provider through a connection: \`<NAME>_BASE_URL\` and \`<NAME>_API_KEY\` define the
connection \`<name>\` that models refer to. With only \`OPENAI_API_KEY\`, \`REPLICATE_API_TOKEN\` or \`FAL_KEY\`, the connection
\`openai\`, \`replicate\` or \`fal\` is the hosted provider. The README of an adapter lists its other variables, such as
\`REPLICATE_WEBHOOK_SECRET\`. \`SANDBOX_BASE_URL\` is the address of the sandbox.

The setup reads them too, because a model without a configured connection is not offered.

## Setup

\`node packages/setup/src/main.ts\` prepares migrations, database roles, bucket or folder, models and the demo organization
for the services. It logs what it did and exits. It can run again at any time, and several setups can run at once.

${table(collect({ setup: setupConfig }))}
`;

writeFileSync(path.join(root, 'docs/configuration.md'), page);
