import { runSamples } from './codeSamples.js';
import { fieldsTable } from './fields.js';
import { equipSamples, made } from './site.js';

const keyName = 'holdfast-key';
const base = new URL(document.documentElement.dataset.root, location.href);
const api = new URL('..', base).href.replace(/\/$/, '');
const keyForm = document.getElementById('key');
const catalogue = document.getElementById('catalogue');
const slug = decodeURIComponent(location.pathname.slice(base.pathname.length).split('/').slice(1).join('/'));

async function call(path, body) {
  const response = await fetch(`${api}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      Authorization: `Bearer ${sessionStorage.getItem(keyName)}`,
      ...(body && { 'Content-Type': 'application/json', Prefer: 'wait=30' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const result = await response.json();
  if (!response.ok) throw Object.assign(new Error(result.error.message), result.error);
  return result;
}

function failure({ code, message, details = [] }) {
  const text = made('p', { className: 'failure' });
  if (code) text.append(made('a', { href: new URL(`errors/${code}`, base).href, textContent: code }), ': ');
  text.append(
    message,
    ...details.map((detail) => made('span', { textContent: ` ${detail.field}: ${detail.message}` })),
  );
  return text;
}

async function show() {
  const hasKey = sessionStorage.getItem(keyName) !== null;
  keyForm.toggleAttribute('data-has-key', hasKey);
  if (!hasKey) return catalogue.replaceChildren(...(await publicParts()));
  try {
    if (slug === '') catalogue.replaceChildren(list((await call('/v1/models')).data));
    else catalogue.replaceChildren(...modelParts(await call(`/v1/models/${encodeURIComponent(slug)}`)));
    equipSamples(catalogue);
  } catch (error) {
    catalogue.replaceChildren(failure(error));
  }
}

/** Without a key: names and prices, if the operator publishes them. */
async function publicParts() {
  const response = await fetch(new URL('models.json', base)).catch(() => null);
  const models = response?.ok ? (await response.json()).data : null;
  if (models === null) return [];
  if (slug === '') return [list(models)];
  const model = models.find((one) => one.slug === slug);
  if (!model) return [];
  entitle(model);
  return [price(model, ' Enter a key to see what it takes, and to run it.')];
}

function entitle(model) {
  document.title = `${model.display_name} · Holdfast`;
  document.querySelector('h1').textContent = model.display_name;
  document.querySelector('h1 + p').textContent = model.description;
}

const price = (model, more) =>
  made('p', {}, made('b', { textContent: 'Price in USD: ' }), `${priceText(model.price)}.${more}`);

const list = (models) =>
  made(
    'ul',
    { className: 'cards' },
    ...models.map((model) => {
      const href = new URL(`models/${encodeURIComponent(model.slug)}`, base).href;
      const link = made('a', { href }, made('b', { textContent: model.display_name }));
      link.append(
        made('span', { textContent: model.slug }),
        made('span', { textContent: model.description }),
        made('span', { textContent: priceText(model.price) }),
      );
      return made('li', {}, link);
    }),
  );

function priceText({ entries, minimum }) {
  return `${entries.map(entryText).join(' + ')}${minimum ? `, at least ${minimum}` : ''}`;
}

/** `0.04 per image`, `0.011 to 0.25 per image, by quality and size` */
function entryText({ unit, input, rows }) {
  const name = input ? `${unit.replace('input_', '')} of ${input}` : unit;
  const amounts = rows.map(({ price }) => price).sort((a, b) => a - b);
  const range = amounts.length > 1 ? `${amounts[0]} to ${amounts.at(-1)}` : amounts[0];
  const names = [...new Set(rows.flatMap(({ when }) => Object.keys(when)))];
  return `${range} per ${name.replaceAll('_', ' ')}${names.length > 0 ? `, by ${names.join(' and ')}` : ''}`;
}

function modelParts(model) {
  entitle(model);
  const form = inputForm(model);
  const outcome = made('output');
  const samples = made('div');
  const refresh = () => {
    const named = Object.entries(runSamples(model.slug, form.read()));
    samples.replaceChildren(...named.map(([language, text]) => sampleBlock(language, text.trimEnd())));
  };
  form.element.addEventListener('input', () => {
    refresh();
    equipSamples(samples);
  });
  form.element.addEventListener('submit', async (event) => {
    event.preventDefault();
    const isEstimate = event.submitter?.value === 'estimate';
    const note = (textContent) => outcome.replaceChildren(made('p', { className: 'loading', textContent }));
    form.setBusy(true);
    try {
      const body = { model: model.slug, input: form.read() };
      if (isEstimate) {
        note('Estimating …');
        outcome.replaceChildren(...estimateParts(await call('/v1/executions/estimate', body)));
      } else {
        note('Running …');
        const execution = await ended(await call('/v1/executions', body), ({ id, status }) =>
          note(`${id}: ${status} …`),
        );
        outcome.replaceChildren(...(await runParts(execution)));
        equipSamples(outcome);
      }
    } catch (error) {
      outcome.replaceChildren(failure(error));
    }
    form.setBusy(false);
  });
  refresh();
  return [
    price(model, ` A run that takes longer than ${model.timeout_seconds} s expires.`),
    ...fields('Input', model.input_schema),
    made('h2', { textContent: 'Try it' }),
    made('div', { className: 'model' }, form.element, outcome),
    made('h2', { textContent: 'Samples' }),
    samples,
    ...fields('Output', model.output_schema),
    made('h2', { textContent: 'Input schema' }),
    sampleBlock('JSON', JSON.stringify(model.input_schema, null, 2)),
    made('h2', { textContent: 'Output schema' }),
    sampleBlock('JSON', JSON.stringify(model.output_schema, null, 2)),
  ];
}

function fields(title, schema) {
  const table = fieldsTable(schema, `${title} fields`);
  return table ? [made('h2', { textContent: title }), table] : [];
}

/** The form of an input schema; a value that it cannot ask for by a field is JSON. */
function inputForm({ input_schema: schema }) {
  const example = schema.examples?.[0] ?? {};
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties ?? {}).map(([name, one]) =>
    field(name, one, required.has(name), example[name]),
  );
  const isShown = ({ name }) => required.has(name) || name in example;
  const optional = fields.filter((one) => !isShown(one)).map(({ label }) => label);
  const run = made('button', { value: 'run', textContent: 'Run it' });
  const estimate = made('button', { value: 'estimate', textContent: 'Estimate', className: 'second' });
  const element = made(
    'form',
    {},
    ...fields.filter(isShown).map(({ label }) => label),
    ...(optional.length === 0
      ? []
      : [
          made(
            'details',
            {},
            made('summary', { textContent: 'Optional fields' }),
            made('div', {}, ...optional),
          ),
        ]),
    made('div', { className: 'buttons' }, run, estimate),
  );
  const read = () =>
    Object.fromEntries(fields.flatMap(({ name, value }) => (value() === undefined ? [] : [[name, value()]])));
  const setBusy = (isBusy) => {
    for (const button of [run, estimate]) button.disabled = isBusy;
  };
  return { element, read, setBusy };
}

function field(name, schema, isRequired, example) {
  const { control, value } = controlOf(schema, example ?? (isRequired ? schema.default : undefined));
  control.name = name;
  const note = [schema.description, schema.default === undefined ? null : `Default: ${schema.default}`]
    .filter(Boolean)
    .join(' ');
  const label = made('label', {}, made('span', { textContent: isRequired ? `${name} *` : name }), control);
  if (note) label.append(made('small', { textContent: note }));
  return { name, label, value };
}

function controlOf(schema, initial) {
  if (schema.enum) {
    const control = made(
      'select',
      {},
      made('option', { value: '' }),
      ...schema.enum.map((one) => made('option', { textContent: one, value: one })),
    );
    control.value = initial ?? '';
    return {
      control,
      value: () =>
        control.value === '' ? undefined : schema.enum.find((one) => String(one) === control.value),
    };
  }
  if (schema.type === 'boolean') {
    const control = made('input', { type: 'checkbox', checked: initial === true });
    return { control, value: () => control.checked || undefined };
  }
  if (schema.type === 'integer' || schema.type === 'number') {
    const control = made('input', {
      type: 'number',
      step: schema.type === 'integer' ? 1 : 'any',
      value: initial ?? '',
    });
    return { control, value: () => (control.value === '' ? undefined : Number(control.value)) };
  }
  if (schema.type === 'string') {
    const control = made('input', {
      type: 'text',
      value: initial ?? '',
      placeholder: schema.format === 'file' ? 'file_…' : '',
    });
    return { control, value: () => control.value || undefined };
  }
  const control = made('textarea', { rows: 3, value: initial === undefined ? '' : JSON.stringify(initial) });
  return { control, value: () => parsed(control.value) };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text || undefined;
  }
}

const estimateParts = ({ estimated_cost, hold_amount }) => [
  made('p', { textContent: `Estimated cost ${estimated_cost}; ${hold_amount} would be held.` }),
];

const isOver = ({ status }) => ['COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'].includes(status);

/** Reads an execution until it has ended. A create waits 30 seconds at most. */
async function ended(execution, onRead) {
  let read = execution;
  while (!isOver(read)) {
    onRead(read);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    read = await call(`/v1/executions/${execution.id}`);
  }
  return read;
}

async function runParts(execution) {
  const parts = [
    made('p', {
      textContent: `${execution.id}: ${execution.status}${execution.cost ? `, cost ${execution.cost}` : ''}`,
    }),
  ];
  if (execution.error) return [...parts, failure(execution.error)];
  if (execution.status !== 'COMPLETED') return parts;
  const { output } = await call(`/v1/executions/${execution.id}/result`);
  parts.push(sampleBlock('JSON', JSON.stringify(output, null, 2)));
  for (const image of output.images ?? []) parts.push(await picture(image));
  return parts;
}

async function picture({ file_id, width, height }) {
  const headers = { Authorization: `Bearer ${sessionStorage.getItem(keyName)}` };
  const response = await fetch(`${api}/v1/files/${file_id}/download`, { headers });
  return made('img', {
    src: URL.createObjectURL(await response.blob()),
    alt: 'Output of the model',
    width,
    height,
  });
}

function sampleBlock(language, text) {
  const sample = made(
    'div',
    { className: 'sample' },
    made('pre', { tabIndex: 0 }, made('code', { textContent: text })),
  );
  sample.dataset.language = language;
  return sample;
}

keyForm.addEventListener('submit', (event) => {
  event.preventDefault();
  sessionStorage.setItem(keyName, keyForm.elements.key.value.trim());
  keyForm.reset();
  void show();
});
keyForm.elements.forget.addEventListener('click', () => {
  sessionStorage.removeItem(keyName);
  void show();
});
void show();
