import type { oas31 } from 'zod-openapi';
import type { ApiDocument } from '../openapi/document.ts';
import {
  type Operation,
  requestContent,
  responsesOf,
  type StatusResponse,
  scopeOf,
} from '../openapi/operations.ts';
import { descriptionOf, type FieldRow, fieldRows, typeName } from './fieldRows.ts';
import { type Html, html, prose } from './html.ts';

/** One endpoint: description and fields on the left, examples on the right. */
export function operationSection(document: ApiDocument, item: Operation): Html {
  const { operation, isEvent } = item;
  const schemas = document.components?.schemas ?? {};
  const responses = responsesOf(document, operation);
  const scope = scopeOf(operation);
  const success = responses.find(({ status }) => status.startsWith('2'));
  const body = requestContent(operation);
  const response = success?.response.content?.['application/json'];
  const events = success?.response.content?.['text/event-stream'];
  const csv = success?.response.content?.['text/csv'];
  const rowsOf = (media: oas31.MediaTypeObject | undefined) =>
    media?.schema ? fieldRows(media.schema, schemas) : [];
  return html`<section class="operation" id="${operation.operationId}">
<div class="text">
<h3><a href="#${operation.operationId}">${prose(operation.summary ?? '')}</a></h3>
<p class="path">${methodBadge(item)} <code>${isEvent ? 'your endpoint' : item.path}</code></p>
${operation.description && html`<p>${prose(operation.description)}</p>`}
${scope && html`<p>Requires the scope <code>${scope}</code>.</p>`}
${fieldTable('Parameters', parameterRows(operation, schemas))}
${fieldTable('Body', rowsOf(body))}
${fieldTable('Response', rowsOf(response), true)}
${statusTable(responses)}
</div>
<div class="samples">
${!isEvent && sample('Request', curlCommand(item, body?.example))}
${isEvent && sample('Body', JSON.stringify(body?.example, null, 2))}
${response && sample(`Response ${success?.status}`, JSON.stringify(response.example, null, 2))}
${events && sample(`Response ${success?.status}`, String(events.example))}
${csv && sample(`Response ${success?.status} as CSV`, String(csv.example))}
</div>
</section>`;
}

export function methodBadge({ method, isEvent }: Operation): Html {
  return html`<span class="method ${method}">${isEvent ? 'EVENT' : method.toUpperCase()}</span>`;
}

function parameterRows(
  { parameters = [] }: oas31.OperationObject,
  schemas: Parameters<typeof typeName>[1],
): FieldRow[] {
  return (parameters as oas31.ParameterObject[]).map(({ name, in: place, schema = {}, required }) => ({
    name,
    type: `${place} · ${typeName(schema, schemas)}`,
    required: required ?? false,
    description: descriptionOf(schema, schemas),
  }));
}

/** `isFolded`: collapsed, for fields that an example already shows. */
function fieldTable(title: string, rows: FieldRow[], isFolded = false): Html | null {
  if (rows.length === 0) return null;
  const table = html`<dl class="fields">${rows.map(fieldEntry)}</dl>`;
  return isFolded
    ? html`<details><summary>${title}</summary>${table}</details>`
    : html`<h4>${title}</h4>${table}`;
}

function fieldEntry({ name, type, required, description }: FieldRow): Html {
  return html`<div><dt><code>${name}</code> <span class="type">${type}</span>${
    required && html` <span class="required">required</span>`
  }</dt><dd>${prose(description)}</dd></div>`;
}

function statusTable(responses: StatusResponse[]): Html {
  const rows = responses.map(
    ({ status, response }) =>
      html`<div class="${status.startsWith('2') ? 'good' : 'bad'}"><dt>${status}</dt><dd>${prose(response.description ?? '')}</dd></div>`,
  );
  return html`<details><summary>Statuses</summary><dl class="statuses">${rows}</dl></details>`;
}

function sample(title: string, text: string): Html {
  return html`<figure><figcaption>${title}</figcaption><pre tabindex="0"><code>${text}</code></pre></figure>`;
}

export function curlCommand({ method, path, operation }: Operation, example: unknown): string {
  const verb = method.toUpperCase();
  const lines = [
    verb === 'GET' ? `curl "$HOLDFAST_URL${path}"` : `curl -X ${verb} "$HOLDFAST_URL${path}"`,
    '-H "Authorization: Bearer $HOLDFAST_API_KEY"',
    ...(operation.operationId === 'createExecution' ? ['-H "Idempotency-Key: order-A-17"'] : []),
    ...(operation.operationId === 'streamExecutionEvents' ? ['-N'] : []),
    ...(operation.operationId === 'downloadFile' ? ['-o result.png'] : []),
  ];
  if (example !== undefined) {
    lines.push('-H "Content-Type: application/json"', `-d '${JSON.stringify(example, null, 2)}'`);
  }
  return lines.join(' \\\n  ');
}
